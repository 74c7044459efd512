"""Sources of published data sets: each class knows the folder that one comes in, and makes rows of its files.

`base` has what they share: a source finds a record for each row, and reads its files when the row is asked for. Then,
by what they hold: `digits` (small images in few files), `pictures`, `captions`, `pairs` and `faces` (an image in each
file), `scenes` (images with objects), and `speech`.

MindSpore: `mindspore.dataset`.
"""
