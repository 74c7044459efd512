"""The datasets and transforms of torchvision, torchaudio and torchtext."""

from __future__ import annotations

from .row import Row, same

__all__ = ["DOMAINS"]

_PIPELINE = (
    "A dataset of MindSpore reads files itself, and its transforms are given to map and batch, not to the dataset."
)
_ARRAYS = "On arrays in a pipeline, not on tensors."
_FILL = {"fill": "fill_value"}
_CHANCE = {"p": "prob"}
_VISION = "mindspore.dataset.vision"

DOMAINS: tuple[Row, ...] = (
    *same(
        "torchvision.datasets",
        "mindspore.dataset",
        """
        CelebA:CelebADataset Cityscapes:CityscapesDataset CIFAR10:Cifar10Dataset CIFAR100:Cifar100Dataset
        CocoDetection:CocoDataset ImageFolder:ImageFolderDataset MNIST:MnistDataset VOCDetection:VOCDataset
        VOCSegmentation:VOCDataset
    """,
        arguments={"root": "dataset_dir"},
        only_torch={"download": "False", "transform": "None", "target_transform": "None"},
        note=_PIPELINE,
    ),
    *same("torchvision.transforms", _VISION, "CenterCrop FiveCrop GaussianBlur Grayscale LinearTransformation"),
    *same("torchvision.transforms", "mindspore.dataset.transforms", "Compose RandomChoice RandomOrder"),
    Row(
        "torchvision.transforms.ColorJitter",
        f"{_VISION}.RandomColorAdjust",
        note="A number means the same in both; the identity is 0 in torchvision, and (1, 1) in MindSpore.",
    ),
    Row(
        "torchvision.transforms.Normalize",
        f"{_VISION}.Normalize",
        only_torch={"inplace": "False"},
        only_mindspore={"is_hwc": "False"},
    ),
    Row("torchvision.transforms.ToTensor", f"{_VISION}.ToTensor", note="The result is an array in a pipeline."),
    Row("torchvision.transforms.ToPILImage", f"{_VISION}.ToPIL", only_torch={"mode": "None"}),
    Row(
        "torchvision.transforms.ConvertImageDtype",
        "mindspore.dataset.transforms.TypeCast",
        {"dtype": "data_type"},
        note="torchvision also scales integers to [0, 1].",
    ),
    Row(
        "torchvision.transforms.Resize",
        f"{_VISION}.Resize",
        only_torch={"max_size": "None", "antialias": "True"},
        note="A number is the length of the shorter side in both; MindSpore does not antialias arrays.",
    ),
    Row("torchvision.transforms.Pad", f"{_VISION}.Pad", _FILL, note="padding_mode is a vision.Border."),
    Row("torchvision.transforms.RandomCrop", f"{_VISION}.RandomCrop", _FILL, note="padding_mode is a vision.Border."),
    Row("torchvision.transforms.RandomResizedCrop", f"{_VISION}.RandomResizedCrop", only_torch={"antialias": "True"}),
    Row(
        "torchvision.transforms.RandomAffine",
        f"{_VISION}.RandomAffine",
        {"interpolation": "resample", **_FILL},
        only_torch={"center": "None"},
    ),
    Row("torchvision.transforms.RandomRotation", f"{_VISION}.RandomRotation", {"interpolation": "resample", **_FILL}),
    Row("torchvision.transforms.RandomPerspective", f"{_VISION}.RandomPerspective", _CHANCE, only_torch={"fill": "0"}),
    *same(
        "torchvision.transforms", _VISION, "RandomGrayscale RandomHorizontalFlip RandomVerticalFlip", arguments=_CHANCE
    ),
    Row("torchvision.transforms.RandomApply", "mindspore.dataset.transforms.RandomApply", _CHANCE),
    Row("torchvision.transforms.TenCrop", f"{_VISION}.TenCrop", {"vertical_flip": "use_vertical_flip"}),
    Row(
        "torchvision.ops.nms",
        "mindspore.ops.NMSWithMask",
        only_torch={"boxes": "REMOVED", "scores": "REMOVED"},
        note="MindSpore takes one tensor of boxes and scores, and returns the boxes, their indices and a mask.",
    ),
    Row(
        "torchvision.ops.roi_align",
        "mindspore.ops.ROIAlign",
        to_mindspore={"pooled_height": "{output_size}[0]", "pooled_width": "{output_size}[1]"},
        to_torch={"output_size": "({pooled_height}, {pooled_width})"},
        note="MindSpore's is a primitive: call what it returns.",
    ),
    Row(
        "torchvision.ops.deform_conv2d",
        "mindspore.ops.deformable_conv2d",
        {"input": "x", "offset": "offsets", "stride": "strides", "dilation": "dilations"},
        note="MindSpore takes the offsets and the mask in one tensor, and sizes with four entries.",
    ),
    *same(
        "torchaudio.datasets",
        "mindspore.dataset",
        """
        CMUARCTIC:CMUArcticDataset GTZAN:GTZANDataset LIBRITTS:LibriTTSDataset LJSPEECH:LJSpeechDataset
        SPEECHCOMMANDS:SpeechCommandsDataset TEDLIUM:TedliumDataset YESNO:YesNoDataset
    """,
        arguments={"root": "dataset_dir"},
        only_torch={"download": "False"},
        note=_PIPELINE,
    ),
    *same(
        "torchaudio.transforms",
        "mindspore.dataset.audio",
        """
        AmplitudeToDB ComplexNorm ComputeDeltas Fade FrequencyMasking GriffinLim InverseMelScale MelScale MelSpectrogram
        MFCC MuLawEncoding MuLawDecoding Resample SlidingWindowCmn SpectralCentroid Spectrogram TimeMasking TimeStretch
        Vad Vol
    """,
        note=_ARRAYS + " Texts that choose a kind are members of enumerations, such as audio.WindowType.HANN.",
    ),
    *same(
        "torchtext.data.functional",
        "mindspore.dataset.text",
        """
        custom_replace:RegexReplace load_sp_model:SentencePieceTokenizer numericalize_tokens_from_iterator:Lookup
        sentencepiece_numericalizer:SentencePieceTokenizer sentencepiece_tokenizer:SentencePieceTokenizer
        simple_space_split:WhitespaceTokenizer
    """,
        note=_ARRAYS,
    ),
    *same("torchtext.data.utils", "mindspore.dataset.text", "ngrams_iterator:Ngram", note=_ARRAYS),
    *same(
        "torchtext.datasets",
        "mindspore.dataset",
        """
        AG_NEWS:AGNewsDataset AmazonReviewFull:AmazonReviewDataset AmazonReviewPolarity:AmazonReviewDataset
        CoNLL2000Chunking:CoNLL2000Dataset DBpedia:DBpediaDataset IMDB:IMDBDataset IWSLT2016:IWSLT2016Dataset
        IWSLT2017:IWSLT2017Dataset PennTreebank:PennTreebankDataset SogouNews:SogouNewsDataset SQuAD1:SQuADDataset
        SQuAD2:SQuADDataset UDPOS:UDPOSDataset WikiText103:WikiTextDataset WikiText2:WikiTextDataset
        YahooAnswers:YahooAnswersDataset YelpReviewFull:YelpReviewDataset YelpReviewPolarity:YelpReviewDataset
    """,
        arguments={"root": "dataset_dir", "split": "usage"},
        note=_PIPELINE,
    ),
)
