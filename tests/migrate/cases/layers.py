"""Cases of the layers and losses of torch.nn."""

from __future__ import annotations

from migrate.cases import family

CASES = {
    **family("torch.nn.{}()(a)", """
        CELU ELU GELU Hardshrink Hardsigmoid Hardswish Hardtanh Identity LogSigmoid Mish PReLU ReLU ReLU6 RReLU SELU SiLU
        Sigmoid Softshrink Softsign Tanh Tanhshrink LeakyReLU Dropout
    """),
    **family("torch.nn.{}(1)(a)", "GLU Softmax Softmin LogSoftmax"),
    **family("torch.nn.{}()(a, b)", "L1Loss MSELoss SmoothL1Loss HuberLoss"),
    **family("torch.nn.{}(2)(images)", "AdaptiveAvgPool2d AvgPool2d MaxPool2d ZeroPad2d ReflectionPad2d ReplicationPad2d PixelShuffle PixelUnshuffle Unfold ChannelShuffle"),
    **family("torch.nn.{}(4)(seq)", "AdaptiveAvgPool1d AdaptiveMaxPool1d"),
    **family("torch.nn.{}(3)(seq)", "AvgPool1d MaxPool1d ZeroPad1d ReflectionPad1d ReplicationPad1d"),
    **family("torch.nn.{}(2)(volumes)", "AdaptiveAvgPool3d AdaptiveMaxPool3d AvgPool3d MaxPool3d ZeroPad3d ReplicationPad3d"),
    **family("torch.nn.{}(4)(seq)", "BatchNorm1d InstanceNorm1d"),
    **family("torch.nn.{}(4)(images)", "BatchNorm2d InstanceNorm2d"),
    **family("torch.nn.{}(4)(volumes)", "BatchNorm3d InstanceNorm3d"),
    **family("torch.nn.{}(scale_factor=2)(images)", "UpsamplingNearest2d UpsamplingBilinear2d Upsample"),
    "torch.nn.AdaptiveMaxPool2d": "torch.nn.AdaptiveMaxPool2d((2, 3))(images)",
    "torch.nn.BCELoss": "torch.nn.BCELoss()(p, q)", "torch.nn.BCEWithLogitsLoss": "torch.nn.BCEWithLogitsLoss()(a, q)",
    "torch.nn.Bilinear": "torch.nn.Bilinear(4, 4, 5)(a, b)",
    "torch.nn.ConstantPad1d": "torch.nn.ConstantPad1d(2, 0.5)(seq)", "torch.nn.ConstantPad2d": "torch.nn.ConstantPad2d((1, 0, 2, 1), 0.5)(images)",
    "torch.nn.ConstantPad3d": "torch.nn.ConstantPad3d(1, 0.5)(volumes)", "torch.nn.ReflectionPad3d": "torch.nn.ReflectionPad3d(1)(volumes)",
    "torch.nn.Conv1d": "torch.nn.Conv1d(4, 6, 3, padding=1, groups=2)(seq)", "torch.nn.Conv2d": "torch.nn.Conv2d(4, 6, 3, 2, padding=1, bias=False)(images)",
    "torch.nn.Conv3d": "torch.nn.Conv3d(4, 6, 3, dilation=1)(volumes)", "torch.nn.ConvTranspose1d": "torch.nn.ConvTranspose1d(4, 6, 3, 2, 1)(seq)",
    "torch.nn.ConvTranspose2d": "torch.nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1)(images)",
    "torch.nn.ConvTranspose3d": "torch.nn.ConvTranspose3d(4, 6, 3, stride=2, padding=1, output_padding=1)(volumes)",
    "torch.nn.CosineEmbeddingLoss": "torch.nn.CosineEmbeddingLoss(margin=0.1)(a, b, one_sign)",
    "torch.nn.CrossEntropyLoss": "torch.nn.CrossEntropyLoss(label_smoothing=0.1)(a, labels)",
    "torch.nn.CrossEntropyLoss mindspore.nn.CrossEntropyLoss": "torch.nn.CrossEntropyLoss()(a, labels)",
    "torch.nn.CTCLoss": "torch.nn.CTCLoss()(seq.permute(1, 0, 2), labels[None, :2].repeat(2, 1) + 1, (4, 4), (2, 1))",
    "torch.nn.Dropout1d": "torch.nn.Dropout1d(0.2)(seq)", "torch.nn.Dropout2d": "torch.nn.Dropout2d(0.2)(images)", "torch.nn.Dropout3d": "torch.nn.Dropout3d(0.2)(volumes)",
    "torch.nn.Embedding": "torch.nn.Embedding(5, 3)(i)", "torch.nn.Flatten": "torch.nn.Flatten()(images)",
    "torch.nn.Fold": "torch.nn.Fold((4, 5), (2, 2))(many[:, :1].repeat(1, 4, 3))", "torch.nn.GroupNorm": "torch.nn.GroupNorm(2, 4)(images)",
    "torch.nn.FractionalMaxPool2d": "torch.nn.FractionalMaxPool2d(2, output_size=3)(images)", "torch.nn.FractionalMaxPool3d": "torch.nn.FractionalMaxPool3d(2, output_size=2)(volumes)",
    "torch.nn.GaussianNLLLoss": "torch.nn.GaussianNLLLoss()(a, b, p)", "torch.nn.HingeEmbeddingLoss": "torch.nn.HingeEmbeddingLoss()(a, signs)",
    "torch.nn.GRU": "torch.nn.GRU(8, 5, 2, batch_first=True)(seq)", "torch.nn.LSTM": "torch.nn.LSTM(8, 5, bidirectional=True)(seq)", "torch.nn.RNN": "torch.nn.RNN(8, 5)(seq)",
    "torch.nn.GRUCell": "torch.nn.GRUCell(4, 4)(a, b)", "torch.nn.LSTMCell": "torch.nn.LSTMCell(4, 4)(a, (b, c))", "torch.nn.RNNCell": "torch.nn.RNNCell(4, 4)(a, b)",
    "torch.nn.KLDivLoss": "torch.nn.KLDivLoss(reduction='sum')(a, p)", "torch.nn.LayerNorm": "torch.nn.LayerNorm((4,))(a)", "torch.nn.Linear": "torch.nn.Linear(4, 5)(a)",
    "torch.nn.LocalResponseNorm": "torch.nn.LocalResponseNorm(3)(images)", "torch.nn.LPPool1d": "torch.nn.LPPool1d(2, 3)(seq)", "torch.nn.LPPool2d": "torch.nn.LPPool2d(2, 2)(images)",
    "torch.nn.MarginRankingLoss": "torch.nn.MarginRankingLoss()(v, w, v)", "torch.nn.MaxUnpool1d": "torch.nn.MaxUnpool1d(2)(a, places)",
    "torch.nn.MultiLabelSoftMarginLoss": "torch.nn.MultiLabelSoftMarginLoss()(a, q)", "torch.nn.MultiMarginLoss": "torch.nn.MultiMarginLoss()(a, labels)",
    "torch.nn.MultiheadAttention": "torch.nn.MultiheadAttention(8, 2)(seq, seq, seq)", "torch.nn.NLLLoss": "torch.nn.NLLLoss()(a, labels)", "torch.nn.NLLLoss2d": "torch.nn.NLLLoss2d()(a, labels)",
    "torch.nn.PoissonNLLLoss": "torch.nn.PoissonNLLLoss()(a, p)",
    "torch.nn.SoftMarginLoss": "torch.nn.SoftMarginLoss()(a, signs)", "torch.nn.Softmax2d": "torch.nn.Softmax2d()(images)",
    "torch.nn.Threshold": "torch.nn.Threshold(0.1, 0.5)(a)", "torch.nn.SyncBatchNorm": "torch.nn.SyncBatchNorm(4)(images)",
    "torch.nn.Transformer": "torch.nn.Transformer(8, 2, 1, 1, 16, 0.0)(seq, seq)", "torch.nn.TransformerEncoderLayer": "torch.nn.TransformerEncoderLayer(8, 2, 16, 0.0)(seq)",
    "torch.nn.TransformerDecoderLayer": "torch.nn.TransformerDecoderLayer(8, 2, 16, 0.0)(seq, seq)",
    "torch.nn.TripletMarginLoss": "torch.nn.TripletMarginLoss()(a, b, c)", "torch.nn.TripletMarginWithDistanceLoss": "torch.nn.TripletMarginWithDistanceLoss()(a, b, c)",
    "torch.nn.Unflatten": "torch.nn.Unflatten(1, (2, 2))(a)", "torch.nn.Parameter": "torch.nn.Parameter(a)", "torch.nn.parameter.Parameter": "torch.nn.parameter.Parameter(a)",
}  # fmt: skip
