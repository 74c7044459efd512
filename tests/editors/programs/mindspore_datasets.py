"""A pipeline of data."""

import numpy as np

import mindspore.dataset as ds
import mindspore.dataset.transforms as transforms
import mindspore.dataset.vision as vision
from mindspore import dtype as mstype


class Source:
    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros((8, 8, 3), np.uint8), np.array(index, np.int32)

    def __len__(self) -> int:
        return 4


data = ds.GeneratorDataset(Source(), ["image", "label"], shuffle=True)
data = data.map([vision.Resize((4, 4)), vision.Rescale(1 / 255, 0.0), vision.HWC2CHW()], "image")
data = data.map(transforms.TypeCast(mstype.int32), "label").batch(2, drop_remainder=True).repeat(2)
print(data.get_dataset_size(), data.output_shapes())
for row in data.create_dict_iterator(output_numpy=True):
    print(row["image"].shape)
data.batchs(2)  # error: attr-defined, reportAttributeAccessIssue
data.batch("2")  # error: arg-type, reportArgumentType
vision.Resise(3)  # error: attr-defined, reportAttributeAccessIssue
data.shuffle()  # error: call-arg, reportCallIssue
