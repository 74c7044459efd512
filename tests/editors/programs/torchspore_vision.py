"""Images and text."""

import torchspore.dataset as ds
from torchspore.dataset import text, transforms, vision
from torchspore.dataset.vision import Inter

flip = transforms.Compose([vision.RandomHorizontalFlip(0.5), vision.Normalize([0.5], [0.5]), vision.ToTensor()])
resize = vision.Resize([2, 2], interpolation=Inter.LINEAR)
vocab = text.Vocab.from_list(["a", "b"])
data = ds.NumpySlicesDataset([1, 2, 3]).skip(1).take(1).project("column_0").rename("column_0", "x")
first, second = ds.NumpySlicesDataset([1, 2]).split([1, 1])
print(flip, resize, vocab.vocab(), data.get_col_names(), first.get_batch_size(), second.num_classes())
Inter.LINEER  # error: attr-defined, reportAttributeAccessIssue
vision.Resize()  # error: call-arg, reportCallIssue
text.Vocabb  # error: attr-defined, reportAttributeAccessIssue
data.mapp()  # error: attr-defined, reportAttributeAccessIssue
