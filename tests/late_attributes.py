# ruff: noqa: E501
"""Objects whose public attributes are replaced after they are made: which there are, and what they then compute.

`tests/data/record_late_attributes.py` records MindSpore's answers; `tests/test_late_attributes.py` compares. The
layers come from the tables of `tests/cases`, and from `LAYERS` for those that the tables make once; other objects from
`OBJECTS`.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import itertools
import math
import pathlib
import tempfile
import warnings
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

import cases

__all__ = ["Answers", "class_of", "doubled", "is_plain", "walked"]

# Constructors of layers, separated by `;`, and inputs.
LAYERS = """
    M.AdaptiveAvgPool1d(2); M.AdaptiveAvgPool1d(4) | sig
    M.AdaptiveAvgPool2d(2); M.AdaptiveAvgPool2d((3, 1)) | img
    M.AdaptiveAvgPool3d(2); M.AdaptiveAvgPool3d((2, 3, 1)) | img
    M.AdaptiveMaxPool1d(2); M.AdaptiveMaxPool1d(4, True) | sig
    M.AvgPool1d(2); M.AvgPool1d(3, 1, 1, True, False) | sig
    M.AvgPool2d(2); M.AvgPool2d(3, 1, 1, True, False, 5) | img
    M.AvgPool3d(2); M.AvgPool3d(3, 1, 1, True, False, 5) | img
    M.BatchNorm1d(3); M.BatchNorm1d(3, 0.5, 0.4).set_train() | z
    M.BatchNorm2d(4); M.BatchNorm2d(4, 0.5, 0.4).set_train() | img
    M.BatchNorm3d(4); M.BatchNorm3d(4, 0.5, 0.4).set_train() | img.reshape(2, 4, 3, 2, 6)
    M.SyncBatchNorm(4); M.SyncBatchNorm(4, 0.5, 0.4).set_train() | img
    M.ConstantPad1d(1, 2.0); M.ConstantPad1d((2, 1), 3.0) | z
    M.ConstantPad2d(1, 2.0); M.ConstantPad2d((2, 1, 0, 1), 3.0) | z
    M.ConstantPad3d(1, 2.0); M.ConstantPad3d((2, 1, 0, 1, 1, 1), 3.0) | img
    M.Conv1d(4, 2, 3); M.Conv1d(4, 2, 3, 2, 1, 2, padding_mode='circular') | sig
    M.Conv2d(4, 2, 3); M.Conv2d(4, 2, 3, 2, 1, 2, padding_mode='reflect') | img
    M.Conv3d(2, 2, 2); M.Conv3d(2, 2, 2, 1, 'same', padding_mode='replicate') | img.reshape(2, 2, 2, 6, 6)
    M.ConvTranspose2d(4, 2, 3); M.ConvTranspose2d(4, 2, 3, 2, 1, 1) | img
    M.CosineEmbeddingLoss(); M.CosineEmbeddingLoss(0.3, 'sum') | x, y, Tensor([1, -1])
    M.CrossEntropyLoss(); M.CrossEntropyLoss(None, 1, 'sum', 0.2) | logits, Tensor([1, 0, 4, 2])
    M.Dropout2d(0.3).set_train(); M.Dropout2d(0.9).set_train() | img
    M.ELU(); M.ELU(0.3) | x
    M.Embedding(3, 4); M.Embedding(3, 4, 1, 0.5, 1.0) | k
    M.Fold((4, 4), 2, stride=2); M.Fold((5, 4), 2, 1, 0, (3, 2)) | img.reshape(2, 16, 9)[:, :, :4]
    M.GELU(); M.GELU('tanh') | x
    M.GroupNorm(2, 4); M.GroupNorm(4, 4, 0.5) | img
    M.Hardtanh(); M.Hardtanh(-0.5, 0.2) | x
    M.KLDivLoss(); M.KLDivLoss('sum', True) | x, p
    M.L1Loss(); M.L1Loss('sum') | x, y
    M.LayerNorm(3); M.LayerNorm(3, 0.5) | x
    M.LogSoftmax(); M.LogSoftmax(0) | x
    M.MSELoss(); M.MSELoss('sum') | x, y
    M.MaxPool2d(2); M.MaxPool2d(3, 1, 1, 2, True, True) | img
    M.MaxUnpool2d(2); M.MaxUnpool2d((2, 1), 3) | z, Tensor(np.arange(24).reshape(2, 3, 4) % 12)
    M.PixelShuffle(1); M.PixelShuffle(2) | img
    M.ReflectionPad1d(1); M.ReflectionPad1d((2, 1)) | z
    M.ReflectionPad2d(1); M.ReflectionPad2d((2, 1, 0, 1)) | img
    M.ReflectionPad3d(1); M.ReflectionPad3d((1, 1, 0, 1, 1, 0)) | img
    M.ReplicationPad1d(1); M.ReplicationPad1d((2, 1)) | z
    M.ReplicationPad2d(1); M.ReplicationPad2d((2, 1, 0, 1)) | img
    M.ReplicationPad3d(1); M.ReplicationPad3d((1, 1, 0, 1, 1, 0)) | img
    M.SoftMarginLoss(); M.SoftMarginLoss('sum') | x, y
    M.Threshold(0.1, 2.0); M.Threshold(0.5, 3.0) | x
    M.Unfold(2); M.Unfold((2, 1), 2, 1, 3) | img
    M.UpsamplingBilinear2d((3, 4)); M.UpsamplingBilinear2d((5, 5)) | img
    M.ZeroPad1d(1); M.ZeroPad1d((2, 1)) | z
    M.ZeroPad2d(1); M.ZeroPad2d((2, 1, 0, 1)) | z
    M.ZeroPad3d(1); M.ZeroPad3d((2, 1, 0, 1, 1, 1)) | img
    nn.AvgPool1dExt(2); nn.AvgPool1dExt(3, 1, 1, True, False) | sig
    nn.AvgPool2dExt(2); nn.AvgPool2dExt(3, 1, 1, True, False, 5) | img
    nn.AvgPool3dExt(2); nn.AvgPool3dExt(3, 1, 1, True, False, 5) | img
    nn.ClipByNorm(0); nn.ClipByNorm(1) | x, Tensor(0.1)
    nn.Conv2dThor(4, 2, 3); nn.Conv2dThor(4, 2, 3, 2, 'pad', 1, 2) | img
    nn.DenseBnAct(3, 2, has_bn=True); nn.DenseBnAct(3, 2, has_bn=True, momentum=0.3, eps=0.5).set_train() | x
    nn.DenseThor(3, 2, activation='relu'); nn.DenseThor(3, 2, activation='tanh') | x
    nn.Dropout2dExt(0.3).set_train(); nn.Dropout2dExt(0.9).set_train() | img
    nn.ELU(1.0); nn.ELU(0.3) | x
    nn.EmbeddingExt(3, 4); nn.EmbeddingExt(3, 4, 1, 0.5, 1.0, True) | k
    nn.InstanceNorm1d(3); nn.InstanceNorm1d(3, 0.5, 0.9) | z
    nn.InstanceNorm2d(4); nn.InstanceNorm2d(4, 0.5, 0.9) | img
    nn.InstanceNorm3d(4); nn.InstanceNorm3d(4, 0.5, 0.9) | img.reshape(2, 4, 3, 2, 6)
    nn.L1LossExt(); nn.L1LossExt('sum') | x, y
    nn.L1Regularizer(0.1); nn.L1Regularizer(2.0) | x
    nn.LayerNormExt(3); nn.LayerNormExt(3, 0.5) | x
    nn.LogSoftmaxExt(0); nn.LogSoftmaxExt(1) | x
    nn.MSSSIM(1.0, (0.5, 0.5), 3); nn.MSSSIM(2.0, (0.9, 0.2), 3, 0.9, 0.2, 0.3) | img, img * img
    nn.MaxPool2dExt(2); nn.MaxPool2dExt(3, 1, 1, 2, True, True) | img
    nn.MaxUnpool3d(2); nn.MaxUnpool3d((2, 1, 1), 3) | img[0], Tensor(np.arange(144).reshape(4, 6, 6))
    nn.MultilabelMarginLoss(); nn.MultilabelMarginLoss('sum') | x, j - 1
    nn.PSNR(); nn.PSNR(255.0) | img, img * img
    nn.PReLU(1, 0.1); nn.PReLU(1, 0.7) | x
    nn.Roll(1, 0); nn.Roll(2, 1); nn.Roll((1, 2), (0, 1)) | x
    nn.SSIM(filter_size=3); nn.SSIM(2.0, 3, 0.9, 0.2, 0.3) | img, img * img
    nn.SoftMarginLoss(); nn.SoftMarginLoss('sum') | x, y
    nn.TimeDistributed(nn.Dense(4, 2), 1, 0); nn.TimeDistributed(nn.Dense(4, 2), 1, 1) | z
    nn.TripletMarginLoss(); nn.TripletMarginLoss(1, True, 0.1, 'sum', 2.5) | x, y, p
    nn.Unfold((1, 1, 2, 1), *[(1, 1, 1, 1)] * 2); nn.Unfold((1, 2, 2, 1), *[(1, 2, 1, 1)] * 2, 'same') | img
    nn.CosineDecayLR(0.1, 1.0, 5); nn.CosineDecayLR(0.2, 2.0, 7) | Tensor(3, ms.int32)
    nn.ExponentialDecayLR(0.1, 0.9, 4); nn.ExponentialDecayLR(0.2, 0.8, 2, True) | Tensor(3, ms.int32)
    nn.InverseDecayLR(0.1, 0.9, 4); nn.InverseDecayLR(0.2, 0.8, 2, True) | Tensor(3, ms.int32)
    nn.NaturalExpDecayLR(0.1, 0.9, 4); nn.NaturalExpDecayLR(0.2, 0.8, 2, True) | Tensor(3, ms.int32)
    nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5); nn.PolynomialDecayLR(0.2, 0.05, 2, 0.3, True) | Tensor(3, ms.int32)
    nn.WarmUpLR(0.1, 4); nn.WarmUpLR(0.2, 5) | Tensor(3, ms.int32)
    nn.AdaptiveMaxPool1d(2); nn.AdaptiveMaxPool1d(4) | sig
    nn.Conv2dBnAct(4, 2, 3, has_bn=True); nn.Conv2dBnAct(4, 2, 3, 2, 'valid', has_bn=True, eps=0.5) | img
    nn.RNNCell(3, 4); nn.RNNCell(3, 4, nonlinearity='relu') | x, ops.ones((2, 4))
    nn.WithEvalCell(nn.ReLU(), nn.L1Loss()); nn.WithEvalCell(nn.ReLU(), nn.L1Loss(), True) | h, h
    nn.ForwardValueAndGrad(nn.ReLU()); nn.ForwardValueAndGrad(nn.ReLU(), get_all=True) | x
    nn.ForwardValueAndGrad(nn.ReLU()); nn.ForwardValueAndGrad(nn.ReLU(), sens_param=True) | x, y
"""

# Constructors of other objects, separated by `;`, and what is computed by `it`.
OBJECTS = """
    nn.Adam(weights(), 0.1); nn.Adam(weights(), 0.1, 0.5, 0.6, 0.1, use_nesterov=True, weight_decay=0.1, loss_scale=4.0); nn.Adam(groups(), 0.1); nn.Adam(weights(), [0.1, 0.2, 0.3, 0.4]); nn.Adam(weights(), 0.1, use_amsgrad=True) | trained(it)
    nn.AdamWeightDecay(weights(), 0.1); nn.AdamWeightDecay(weights(), 0.1, 0.5, 0.6, 0.1, 0.1) | trained(it)
    nn.AdamOffload(weights(), 0.1); nn.AdamOffload(weights(), 0.1, 0.5, 0.6, 0.1, weight_decay=0.1) | trained(it)
    nn.LazyAdam(weights(), 0.1); nn.LazyAdam(weights(), 0.1, 0.5, 0.6, 0.1, weight_decay=0.1, loss_scale=4.0) | trained(it)
    nn.AdaMax(weights(), 0.1); nn.AdaMax(weights(), 0.1, 0.5, 0.6, 0.1, 0.1, 4.0) | trained(it)
    nn.Adagrad(weights(), 0.1, 0.1); nn.Adagrad(weights(), 0.1, 0.1, False, 4.0, 0.1) | trained(it)
    nn.Adadelta(weights(), 0.1); nn.Adadelta(weights(), 0.1, 0.5, 0.1, 4.0, 0.1) | trained(it)
    nn.ASGD(weights(), 0.1); nn.ASGD(weights(), 0.1, 0.1, 0.3, 1.0, 0.1) | trained(it)
    nn.AdaFactor(weights()); nn.AdaFactor(weights(), 0.1, (0.1, 0.01), 0.5, 0.3, scale_parameter=False, relative_step=False, weight_decay=0.1); nn.AdaFactor(weights(), beta1=0.5) | trained(it)
    nn.FTRL(weights(), 0.1, 0.1); nn.FTRL(weights(), 0.1, 0.1, -0.6, 0.1, 0.1, False, 4.0, 0.1) | trained(it)
    nn.Lamb(weights(), 0.1); nn.Lamb(weights(), 0.1, 0.5, 0.6, 0.1, 0.1); nn.Lamb(groups(), 0.1) | trained(it)
    nn.Momentum(weights(), 0.1, 0.9); nn.Momentum(weights(), 0.1, 0.5, 0.1, 4.0, True); nn.Momentum(groups(), 0.1, 0.9); nn.Momentum(weights(), nn.ExponentialDecayLR(0.1, 0.5, 1), 0.9) | trained(it)
    nn.ProximalAdagrad(weights(), 0.1, 0.1); nn.ProximalAdagrad(weights(), 0.1, 0.1, 0.1, 0.2, False, 4.0, 0.1) | trained(it)
    nn.RMSProp(weights(), 0.1); nn.RMSProp(weights(), 0.1, 0.5, 0.5, 0.1, False, True, 4.0, 0.1); nn.RMSProp(weights(), 0.1, centered=True) | trained(it)
    nn.Rprop(weights(), 0.1); nn.Rprop(weights(), 0.1, (0.3, 1.5), (1e-3, 1.0), 0.1) | trained(it)
    nn.SGD(weights(), 0.1); nn.SGD(weights(), 0.1, 0.9, 0.1, 0.1, False, 4.0); nn.SGD(groups(), 0.1); nn.SGD(weights(), [0.1, 0.2, 0.3, 0.4]) | trained(it)
    nn.LARS(nn.SGD(weights(), 0.1), 1e-3, 0.1, True); nn.LARS(nn.Momentum(weights(), 0.1, 0.9), 1e-2, 0.2) | trained(it)
    optim.SGD(weights(), 0.1); optim.SGD(weights(), 0.1, 0.9, 0.1, 0.1, False) | trained(it)
    optim.Adam(weights(), 0.1); optim.Adam(weights(), 0.1, (0.5, 0.6), 0.1, 0.1, True) | trained(it)
    optim.AdamW(weights(), 0.1); optim.AdamW(weights(), 0.1, (0.5, 0.6), 0.1, 0.1, True) | trained(it)
    optim.Adadelta(weights(), 0.1); optim.Adadelta(weights(), 0.1, 0.5, 0.1, 0.1) | trained(it)
    optim.Adagrad(weights(), 0.1); optim.Adagrad(weights(), 0.1, 0.1, 0.1, 0.1, 0.1) | trained(it)
    optim.ASGD(weights(), 0.1); optim.ASGD(weights(), 0.1, 0.1, 0.3, 1.0, 0.1) | trained(it)
    optim.Adamax(weights(), 0.1); optim.Adamax(weights(), 0.1, (0.5, 0.6), 0.1, 0.1) | trained(it)
    optim.RMSprop(weights(), 0.1); optim.RMSprop(weights(), 0.1, 0.5, 0.1, 0.1, 0.5, True) | trained(it)
    optim.Rprop(weights(), 0.1); optim.Rprop(weights(), 0.1, (0.3, 1.5), (1e-3, 1.0)) | trained(it)
    optim.RAdam(weights(), 0.1); optim.RAdam(weights(), 0.1, (0.5, 0.6), 0.1, 0.1) | trained(it)
    optim.NAdam(weights(), 0.1); optim.NAdam(weights(), 0.1, (0.5, 0.6), 0.1, 0.1, 0.1) | trained(it)
    mint.optim.SGD(weights(), 0.1); mint.optim.SGD(weights(), 0.1, 0.9, 0.1, 0.1) | trained(it)
    mint.optim.Adam(weights(), 0.1); mint.optim.Adam(weights(), 0.1, (0.5, 0.6), 0.1, 0.1) | trained(it)
    mint.optim.AdamW(weights(), 0.1); mint.optim.AdamW(weights(), 0.1, (0.5, 0.6), 0.1, 0.1) | trained(it)
    lrs.StepLR(sgd(), 2); lrs.StepLR(sgd(), 1, 0.5) | rates(it)
    lrs.LinearLR(sgd()); lrs.LinearLR(sgd(), 0.5, 0.9, 3) | rates(it)
    lrs.ExponentialLR(sgd(), 0.9); lrs.ExponentialLR(sgd(), 0.5) | rates(it)
    lrs.PolynomialLR(sgd()); lrs.PolynomialLR(sgd(), 3, 2.0) | rates(it)
    lrs.ConstantLR(sgd()); lrs.ConstantLR(sgd(), 0.5, 3) | rates(it)
    lrs.MultiStepLR(sgd(), [1, 3]); lrs.MultiStepLR(sgd(), [2], 0.5) | rates(it)
    lrs.LambdaLR(sgd(), lambda n: 0.5 ** n); lrs.LambdaLR(sgd(), [lambda n: 0.9 ** n]) | rates(it)
    lrs.MultiplicativeLR(sgd(), lambda n: 0.5); lrs.MultiplicativeLR(sgd(), lambda n: 0.9) | rates(it)
    lrs.CyclicLR(sgd(), 0.1, 1.0, 2); lrs.CyclicLR(sgd(), 0.2, 2.0, 3, 1, 'exp_range', 0.9) | rates(it)
    lrs.CosineAnnealingLR(sgd(), 3); lrs.CosineAnnealingLR(sgd(), 2, 0.05) | rates(it)
    lrs.CosineAnnealingWarmRestarts(sgd(), 3); lrs.CosineAnnealingWarmRestarts(sgd(), 2, 2, 0.05) | rates(it)
    lrs.ReduceLROnPlateau(sgd(), 'min', 0.5, 0); lrs.ReduceLROnPlateau(sgd(), 'max', 0.1, 1, 0.1, 'abs', 1, 0.001) | rates(it, 1.0, 2.0, 1.5, 3.0, 2.5)
    lrs.SequentialLR(*two_schedules()); lrs.SequentialLR(*two_schedules(1)) | rates(it)
    nn.Accuracy(); nn.Accuracy('multilabel') | scored(it, (scores, classes))
    nn.BleuScore(); nn.BleuScore(2, True) | scored(it, ([['a', 'b', 'c', 'd']], [[['a', 'b', 'c', 'e'], ['a', 'b', 'd']]]))
    nn.ConfusionMatrix(3); nn.ConfusionMatrix(3, 'target') | scored(it, (classes, classes[::-1]))
    nn.ConfusionMatrixMetric(True, 'sensitivity', False); nn.ConfusionMatrixMetric(False, 'precision', True, 'mean') | scored(it, (onehot[:, :, None], onehot[::-1, :, None]))
    nn.CosineSimilarity(); nn.CosineSimilarity('dot', 'sum', False) | scored(it, (scores,))
    nn.Dice(); nn.Dice(0.5) | scored(it, (scores, scores[::-1]))
    nn.F1(); nn.Fbeta(2.0); nn.Fbeta(0.5) | scored(it, (scores, classes))
    nn.HausdorffDistance(); nn.HausdorffDistance('taxicab', 80.0, True, False) | scored(it, (masks[0], masks[1], 1))
    nn.MeanSurfaceDistance(); nn.MeanSurfaceDistance(True, 'taxicab') | scored(it, (masks[0], masks[1], 1))
    nn.RootMeanSquareDistance(); nn.RootMeanSquareDistance(True, 'taxicab') | scored(it, (masks[0], masks[1], 1))
    nn.Loss() | scored(it, (scores[0, :1],))
    nn.MAE(); nn.MSE() | scored(it, (scores, scores[::-1]))
    nn.Perplexity(); nn.Perplexity(1) | scored(it, (scores, classes))
    nn.Precision(); nn.Precision('multilabel') | scored(it, (scores, classes))
    nn.Recall(); nn.Recall('multilabel') | scored(it, (scores, classes))
    nn.ROC(); nn.ROC(pos_label=1) | scored(it, (scores[:, 0], onehot[:, 0]))
    nn.ROC(3); nn.ROC(class_num=3) | scored(it, (scores, classes))
    nn.TopKCategoricalAccuracy(1); nn.TopKCategoricalAccuracy(2) | scored(it, (scores, classes))
    nn.Top1CategoricalAccuracy(); nn.Top5CategoricalAccuracy() | scored(it, (np.tile(scores, 2), classes))
    nn.OcclusionSensitivity() | scored(it, (nn.Dense(2, 2), np.ones((1, 2), np.float32), 1))
    msd.Normal(0.5, 2.0); msd.Normal(Tensor([0.1, 0.2]), Tensor([1.0, 3.0])) | [it.log_prob(p), it.mean(), it.sd(), it.entropy(), it.cdf(p), it('prob', p)]
    msd.Bernoulli(0.3); msd.Bernoulli(0.6) | [it.log_prob(ones), it.mean(), it.sd(), it.entropy()]
    msd.Beta(2.0, 3.0); msd.Beta(1.5, 2.5) | [it.log_prob(p), it.mean(), it.sd(), it.entropy()]
    msd.Categorical(Tensor([0.2, 0.3, 0.5])); msd.Categorical(Tensor([0.6, 0.3, 0.1])) | [it.log_prob(ones), it.mode(), it.entropy()]
    msd.Cauchy(0.5, 2.0); msd.Cauchy(0.1, 1.0) | [it.log_prob(p), it.mode(), it.entropy(), it.cdf(p)]
    msd.Exponential(0.5); msd.Exponential(2.0) | [it.log_prob(p), it.mean(), it.sd(), it.entropy(), it.cdf(p)]
    msd.Gamma(2.0, 3.0); msd.Gamma(1.5, 2.5) | [it.log_prob(p), it.mean(), it.sd(), it.entropy(), it.cdf(p)]
    msd.Geometric(0.3); msd.Geometric(0.6) | [it.log_prob(ones), it.mean(), it.sd(), it.entropy(), it.cdf(ones)]
    msd.Gumbel(0.5, 2.0); msd.Gumbel(0.1, 1.0) | [it.log_prob(p), it.mean(), it.sd(), it.entropy(), it.cdf(p)]
    msd.HalfNormal(0.5, 2.0); msd.HalfNormal(0.1, 1.0) | [it.log_prob(q)]
    msd.Laplace(0.5, 2.0); msd.Laplace(0.1, 1.0) | [it.log_prob(q)]
    msd.Logistic(0.5, 2.0); msd.Logistic(0.1, 1.0) | [it.log_prob(p), it.mean(), it.sd(), it.entropy(), it.cdf(p)]
    msd.LogNormal(0.5, 2.0); msd.LogNormal(0.1, 1.0) | [it.log_prob(p), it.mean(), it.sd(), it.entropy(), it.cdf(p)]
    msd.Poisson(0.5); msd.Poisson(2.0) | [it.log_prob(ones), it.mean(), it.sd(), it.cdf(ones)]
    msd.StudentT(3.0, 0.5, 2.0); msd.StudentT(4.0, 0.1, 1.0) | [it.log_prob(q)]
    msd.Uniform(0.1, 2.0); msd.Uniform(0.2, 3.0) | [it.log_prob(p), it.mean(), it.sd(), it.entropy(), it.cdf(p)]
    msd.TransformedDistribution(msb.Exp(), msd.Normal(0.5, 2.0)); msd.TransformedDistribution(msb.Exp(), msd.Normal(0.1, 1.0)) | [it.log_prob(p), it.cdf(p)]
    msb.Exp(); msb.PowerTransform(0.5); msb.PowerTransform(0.2) | [it.forward(p), it.inverse(p), it.forward_log_jacobian(p), it.inverse_log_jacobian(p)]
    msb.GumbelCDF(0.5, 2.0); msb.GumbelCDF(0.1, 1.0) | [it.forward(p), it.inverse(p), it.forward_log_jacobian(p), it.inverse_log_jacobian(p)]
    msb.ScalarAffine(0.5, 2.0); msb.ScalarAffine(0.1, 1.0) | [it.forward(p), it.inverse(p), it.forward_log_jacobian(p), it.inverse_log_jacobian(p)]
    msb.Softplus(0.5); msb.Softplus(2.0) | [it.forward(p), it.inverse(p), it.forward_log_jacobian(p), it.inverse_log_jacobian(p)]
    msb.Invert(msb.Exp()); msb.Invert(msb.ScalarAffine(0.5, 2.0)) | [it.forward(p), it.inverse(p), it.forward_log_jacobian(p), it.inverse_log_jacobian(p)]
    nn.WithLossCell(filled(nn.Dense(3, 2)), nn.MSELoss()) | it(x, logits[:2, :2])
    nn.WithEvalCell(filled(nn.Dense(3, 2)), nn.MSELoss()); nn.WithEvalCell(filled(nn.Dense(3, 2)), nn.MSELoss(), True) | it(x, logits[:2, :2])
    nn.TrainOneStepCell(loss_net(), step_sgd()); nn.TrainOneStepCell(loss_net(), step_sgd(), 3.0); nn.TrainOneStepCell(loss_net(), step_sgd(), return_grad=True) | stepped(it, x, logits[:2, :2])
    nn.TrainOneStepWithLossScaleCell(loss_net(), step_sgd(), Tensor(4.0)); nn.TrainOneStepWithLossScaleCell(loss_net(), step_sgd(), nn.DynamicLossScaleUpdateCell(8, 2, 1)); nn.TrainOneStepWithLossScaleCell(loss_net(), step_sgd(), nn.FixedLossScaleUpdateCell(8)) | stepped(it, x, logits[:2, :2])
    nn.ForwardValueAndGrad(loss_net()); nn.ForwardValueAndGrad(loss_net(), get_all=True); nn.ForwardValueAndGrad(*with_weights(), get_by_list=True) | it(x, logits[:2, :2])
    nn.MicroBatchInterleaved(loss_net(), 2) | it(x, logits[:2, :2])
    nn.GradAccumulationCell(loss_net(), 2) | it(x, logits[:2, :2])
    nn.PipelineCell(loss_net(), 2) | it(x, logits[:2, :2])
    nn.ParameterUpdate(Parameter(Tensor([1.0, 2.0]), name='w')) | it(Tensor([3.0, 4.0]))
    nn.TimeDistributed(filled(nn.Dense(4, 2)), 1, 0) | it(z)
    nn.DynamicLossScaleUpdateCell(8, 2, 1); nn.DynamicLossScaleUpdateCell(8, 4, 2) | [it(scale(), overflow) for overflow in (Tensor(True), Tensor(False), Tensor(False))]
    nn.FixedLossScaleUpdateCell(8); nn.FixedLossScaleUpdateCell(4) | [it(scale(), Tensor(True)), it.get_loss_scale()]
    amp.DynamicLossScaleManager(8, 2, 1); amp.DynamicLossScaleManager(8, 4, 2) | managed(it)
    amp.FixedLossScaleManager(8.0); amp.FixedLossScaleManager(4.0, False) | managed(it)
    amp.DynamicLossScaler(8.0, 2, 1); amp.DynamicLossScaler(4.0, 4, 2) | scaled(it)
    amp.StaticLossScaler(8.0); amp.StaticLossScaler(4.0) | scaled(it)
    bnn.NormalPrior(); bnn.NormalPrior(0.5, 2.0) | [it('log_prob', p)]
    ds.NumpySlicesDataset([1, 2, 3, 4, 5], shuffle=False); ds.NumpySlicesDataset([1, 2, 3, 4, 5], shuffle=False, num_samples=3) | rows(it)
    ds.NumpySlicesDataset([1, 2, 3, 4, 5], shuffle=False).batch(2); ds.NumpySlicesDataset([1, 2, 3, 4, 5], shuffle=False).batch(2, True) | rows(it)
    ds.NumpySlicesDataset([1, 2, 3, 4, 5], ['a'], shuffle=False).batch(2, per_batch_map=lambda n, info: (n,)); used(ds.NumpySlicesDataset([1, 2, 3, 4, 5], ['a'], shuffle=False).batch(3, per_batch_map=lambda n, info: (n,), input_columns=['a'], output_columns=['b'])) | rows(it)
    ds.NumpySlicesDataset([1, 2, 3, 4, 5], ['a'], shuffle=False).padded_batch(2, pad_info={}); ds.NumpySlicesDataset([1, 2, 3, 4, 5], ['a'], shuffle=False).padded_batch(3, True, pad_info={'a': ([], 1)}) | rows(it)
    ds.NumpySlicesDataset([1, 2, 3, 4, 5], ['a'], shuffle=False).bucket_batch_by_length(['a'], [2, 4], [2, 1, 2], lambda n: int(n)); ds.NumpySlicesDataset([1, 2, 3, 4, 5], ['a'], shuffle=False).bucket_batch_by_length(['a'], [3, 5], [1, 2, 1], lambda n: int(n) - 1, {}, False, True) | rows(it)
    ds.NumpySlicesDataset([1, 2, 3, 4, 5], shuffle=False).repeat(2); used(ds.NumpySlicesDataset([1, 2, 3, 4, 5], shuffle=False).repeat(3)) | rows(it)
    ds.NumpySlicesDataset([1, 2, 3, 4, 5], shuffle=False).skip(2); ds.NumpySlicesDataset([1, 2, 3, 4, 5], shuffle=False).skip(3) | rows(it)
    ds.NumpySlicesDataset([1, 2, 3, 4, 5], shuffle=False).take(2); ds.NumpySlicesDataset([1, 2, 3, 4, 5], shuffle=False).take(3) | rows(it)
    ds.NumpySlicesDataset([1, 2, 3, 4, 5], ['a'], shuffle=False).rename('a', 'b'); ds.NumpySlicesDataset([1, 2, 3, 4, 5], ['a'], shuffle=False).rename('a', 'c') | rows(it)
    ds.NumpySlicesDataset(([1, 2], [3, 4]), ['a', 'b'], shuffle=False).project('a'); ds.NumpySlicesDataset(([1, 2], [3, 4]), ['a', 'b'], shuffle=False).project(['b']) | rows(it)
    ds.NumpySlicesDataset([1, 2, 3, 4, 5], ['a'], shuffle=False).map(lambda n: n + 1, 'a'); used(ds.NumpySlicesDataset([1, 2, 3, 4, 5], ['a'], shuffle=False).map(lambda n: n * 5, ['a'], ['b'])) | rows(it)
    ds.NumpySlicesDataset([1, 2, 3, 4, 5], ['a'], shuffle=False).filter(lambda n: n > 2, 'a'); ds.NumpySlicesDataset([1, 2, 3, 4, 5], ['a'], shuffle=False).filter(lambda n: n < 2) | rows(it)
    ds.NumpySlicesDataset([1, 2, 3, 4, 5], ['a'], shuffle=False).shuffle(3); ds.NumpySlicesDataset([1, 2, 3, 4, 5], ['a'], shuffle=False).shuffle(5) | [rows(it, 2)]
    ds.GeneratorDataset(lambda: ((n,) for n in range(4)), ['a']); used(ds.GeneratorDataset(lambda: ((n,) for n in range(4)), ['b'], num_samples=2)) | rows(it)
    ds.GeneratorDataset([1, 2, 3, 4, 5], ['a'], shuffle=False); ds.GeneratorDataset([1, 2, 3, 4, 5], ['b'], num_samples=2, shuffle=False) | rows(it)
    ds.NumpySlicesDataset([1, 2], ['a'], shuffle=False).zip(ds.NumpySlicesDataset([3, 4], ['b'], shuffle=False)) | rows(it)
    ds.NumpySlicesDataset([1, 2], ['a'], shuffle=False).concat(ds.NumpySlicesDataset([3, 4], ['a'], shuffle=False)) | rows(it)
    ds.TextFileDataset(file('1 2 3 4'), shuffle=False); ds.TextFileDataset(file('5 6 7 8'), num_samples=2, shuffle=False, num_shards=2, shard_id=1) | rows(it)
    ds.CSVDataset(file('1,2 3,4'), column_defaults=[0, 0], column_names=['a', 'b'], shuffle=False); ds.CSVDataset(file('1:2 3:4'), ':', [1, 1], ['c', 'd'], 1, shuffle=False) | rows(it)
    ds.ImageFolderDataset(folder('ab'), shuffle=False); ds.ImageFolderDataset(folder('bca'), num_samples=2, shuffle=False, extensions=['.jpg'], class_indexing={'a': 3, 'b': 4, 'c': 5}) | rows(it)
    ds.SequentialSampler(); ds.SequentialSampler(1, 2) | list_of(it)
    ds.SubsetSampler([1, 3]); ds.SubsetSampler([0, 2, 4], 2) | list_of(it)
    ds.DistributedSampler(2, 0, False); ds.DistributedSampler(3, 1, False) | list_of(it)
    ds.PKSampler(1); ds.PKSampler(2) | it.num_val
    vision.Resize((2, 3)); vision.Resize((4, 4)) | it(picture).tolist()
    vision.CenterCrop((2, 3)); vision.CenterCrop((4, 4)) | it(picture).tolist()
    vision.Pad(1); vision.Pad((1, 2), 3) | it(picture).tolist()
    vision.Normalize([1.0, 2.0, 3.0], [2.0, 2.0, 2.0]); vision.Normalize([0.0, 2.0, 1.0], [1.0, 2.0, 4.0]) | it(picture).tolist()
    vision.Rescale(0.5, 1.0); vision.Rescale(2.0, 0.0) | it(picture).tolist()
    vision.HWC2CHW() | it(picture).tolist()
    vision.AdjustBrightness(0.5); vision.AdjustBrightness(2.0) | it(picture).tolist()
    vision.Rotate(90); vision.Rotate(180) | it(picture).tolist()
    transforms.OneHot(3); transforms.OneHot(4, 0.1) | it(np.array([1, 2])).tolist()
    transforms.Fill(3); transforms.Fill(4) | it(np.array([1, 2])).tolist()
    transforms.TypeCast('int32'); transforms.TypeCast('float32') | str(it(np.array([1, 2])).dtype)
    transforms.PadEnd([4], 0); transforms.PadEnd([5], 7) | it(np.array([1, 2])).tolist()
    transforms.Slice(slice(0, 1)); transforms.Slice(slice(1, 2)) | it(np.array([1, 2])).tolist()
    transforms.Compose([lambda n: n + 1]); transforms.Compose([lambda n: n + 2]) | it(np.array([1, 2])).tolist()
    text.Lookup(text.Vocab.from_list(['a', 'b'])); text.Lookup(text.Vocab.from_list(['b', 'a']), 'a') | it('a').tolist()
    text.Truncate(2); text.Truncate(3) | it(['a', 'b', 'c', 'd']).tolist()
    text.Ngram(2); text.Ngram([1, 2]) | it(['a', 'b', 'c', 'd']).tolist()
    text.SlidingWindow(2); text.SlidingWindow(3) | it(['a', 'b', 'c', 'd']).tolist()
    audio.Gain(2.0); audio.Gain(1.0) | it(np.ones((1, 4), np.float32)).tolist()
    audio.LowpassBiquad(4000, 1500.0); audio.LowpassBiquad(4000, 500.0, 0.5) | it(np.ones((1, 4), np.float32)).tolist()
    audio.MuLawEncoding(); audio.MuLawEncoding(16) | it(np.ones((1, 4), np.float32)).tolist()
"""

# What every cell has, as MindSpore's compiler notes it.
NOTES = """
    training requires_grad is_top_cell arguments_key mixed_precision_type cell_type grad_ops_label has_bprop
    compile_cache bprop_debug exist_names parameter_layout_dict compiled cls_name instance_count param_prefix auto_prefix
"""


def _constructions(ms: Any) -> dict[str, list[tuple[str, str]]]:
    """Return the (constructor, what `it` computes) of each class, by its name in the tables."""
    layers = {
        f"{prefix}.{name}"
        for prefix, module in (("nn", ms.nn), ("M", ms.mint.nn))
        for name in dir(module)
        if isinstance(getattr(module, name), type) and issubclass(getattr(module, name), ms.nn.Cell)
    }
    folder = pathlib.Path(__file__).parent / "cases"
    families = sorted(path.stem for path in folder.glob("*.py") if path.stem not in ("__init__", "differences"))
    tables = [importlib.import_module(f"cases.{family}").CASES for family in families]
    more = [f"({made})({inputs})" for made, inputs in _rows(LAYERS)]
    found: dict[str, dict[tuple[str, str], None]] = defaultdict(dict)
    for expression in itertools.chain(*tables, more):
        for node in ast.walk(ast.parse(expression, mode="eval")):
            name = isinstance(node, ast.Call) and class_of(node.func)
            if name in layers:
                given = [*map(ast.unparse, node.args), *map(ast.unparse, node.keywords)]
                found[name][ast.unparse(node.func), f"it({', '.join(given)})"] = None
    for made, use in _rows(OBJECTS):
        found[str(class_of(ast.parse(made, mode="eval").body))][made, use] = None
    return {name: list(calls) for name, calls in sorted(found.items())}


def walked(ms: Any) -> Iterator[tuple[str, str, list[str]]]:
    """Iterate over a few (constructor, what `it` computes, other constructors) of each class."""
    for calls in _constructions(ms).values():
        made = dict(calls)
        for constructor in dict.fromkeys((next(iter(made)), list(made)[-1])):
            yield constructor, made[constructor], [other for other in made if other != constructor]


def _rows(table: str) -> list[tuple[str, str]]:
    rows = [row.rpartition("|") for row in table.replace("\n        ", " ").strip().splitlines()]
    return [(made.strip(), use.strip()) for constructors, _, use in rows for made in constructors.split(";")]


def class_of(node: ast.expr) -> str | None:
    """Return the name of the class that an expression makes, also in training mode or with other parameters."""
    while isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("set_train", "set_eval"):
            node = node.func.value
        elif isinstance(node.func, ast.Name) and node.func.id in ("filled", "used"):
            node = node.args[0]
        else:
            return ast.unparse(node.func)
    return None


class Answers:
    """What objects compute, with MindSpore or TorchSpore as `ms`."""

    def __init__(self, ms: Any) -> None:
        self.ms = ms
        self.names = cases.namespace(ms)
        self._made: dict[str, Any] = {}
        for name, module in (
            ("ds", "dataset"),
            ("vision", "dataset.vision"),
            ("transforms", "dataset.transforms"),
            ("text", "dataset.text"),
            ("audio", "dataset.audio"),
            ("amp", "amp"),
            ("optim", "experimental.optim"),
            ("lrs", "experimental.optim.lr_scheduler"),
        ):
            self.names[name] = importlib.import_module(f"{ms.__name__}.{module}")
        here = (
            weights, groups, sgd, step_sgd, loss_net, with_weights, two_schedules, trained, rates, scored, stepped,
            managed, scaled, scale, rows, list_of, used, file, folder,
        )  # fmt: skip
        self.names.update({function.__name__: functools.partial(function, ms) for function in here})
        scores = np.array([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1], [0.1, 0.3, 0.6], [0.7, 0.2, 0.1]], np.float32)
        classes = np.array([1, 2, 2, 0], np.int32)
        masks = np.zeros((2, 6, 6), np.int32)
        masks[0, 1:4, 2:5] = masks[1, 2:6, 1:4] = 1
        self.names.update(
            scores=scores, classes=classes, onehot=np.eye(3, dtype=np.int32)[classes], masks=masks,
            picture=np.arange(60, dtype=np.uint8).reshape(4, 5, 3), ones=ms.Tensor([1.0, 1.0], ms.float32),
        )  # fmt: skip

    def make(self, constructor: str) -> Any:
        """Return an object whose floating-point parameters are the same in every run."""
        self.ms.set_seed(1)
        np.random.seed(1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = eval(constructor, self.names)
        for n, parameter in enumerate(made.get_parameters() if isinstance(made, self.ms.nn.Cell) else ()):
            if "Float" in str(parameter.dtype) and parameter.ndim and constructor.startswith(("nn.", "M.")):
                values = 0.4 * np.sin(np.arange(parameter.size) * 1.7 + n) + 0.5 * ("var" in parameter.name)
                values = np.abs(values) if "var" in parameter.name else values
                parameter.set_data(self.ms.Tensor(values.reshape(parameter.shape).astype(np.float32), parameter.dtype))
        return made

    def compute(self, it: Any, use: str) -> list[Any] | str:
        """Return what an object computes as plain data, or the name of the error's type."""
        self.ms.set_seed(3)
        np.random.seed(3)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return [self._plain(part) for part in cases._flat(eval(use, {**self.names, "it": it}))]
        except Exception as error:
            return type(error).__name__

    def _plain(self, value: Any) -> Any:
        if isinstance(value, self.ms.Tensor):
            if value.dtype == self.ms.bfloat16:
                value = value.astype(self.ms.float32)
            value = value.asnumpy()
        if isinstance(value, (np.ndarray, np.generic)):
            array = np.asarray(value)
            if array.dtype.kind in "biuf":
                wide = array.astype(np.float64).ravel()
                weighted = wide * np.cos(np.arange(wide.size))
                return [
                    list(array.shape),
                    str(array.dtype),
                    float(f"{np.nansum(wide):.5g}"),
                    float(f"{np.nansum(weighted):.5g}"),
                ]
            return str(array)
        return value if isinstance(value, (int, float, str, type(None))) else type(value).__name__

    def attributes(self, it: Any) -> dict[str, Any]:
        """Return the public attributes of an instance."""
        found = dict(vars(it)) if hasattr(it, "__dict__") else {}
        for registry in ("_params", "_cells", "_buffers"):
            found.update(dict(getattr(it, registry, None) or {}) if isinstance(it, self.ms.nn.Cell) else {})
        return {name: value for name, value in sorted(found.items()) if name[0] != "_" and name not in NOTES.split()}

    def other(self, value: Any, known: Iterable[Any] = ()) -> Any:
        """Return another valid value for an attribute, or None.

        Args:
            value: the value.
            known: the values that objects made in another way have there.
        """
        ms = self.ms
        if isinstance(value, ms.Parameter):
            is_count = value.ndim == 0 and float(value).is_integer()
            other = ms.Tensor(value) + 1 if is_count else self.other(ms.Tensor(value))
            return ms.Parameter(other, name=value.name, requires_grad=value.requires_grad)
        if isinstance(value, (tuple, list)) and value and isinstance(value[0], (ms.Tensor, ms.dataset.Dataset)):
            return type(value)([self.other(part) for part in value])
        if isinstance(value, ms.dataset.Dataset):
            return value.take(1)
        if hasattr(value, "child_sampler"):
            return ms.dataset.SubsetSampler([1, 0])
        if isinstance(value, ms.Tensor):
            array = value.astype(ms.float32).asnumpy() if value.dtype == ms.bfloat16 else value.asnumpy()
            changed = ~array if array.dtype == bool else array + 1 if array.dtype.kind in "iu" else array * 0.5 + 0.11
            return ms.Tensor(np.asarray(changed).astype(array.dtype), value.dtype)
        if isinstance(value, ms.nn.CellList):
            return ms.nn.CellList([doubled(ms, cell) for cell in value])
        if isinstance(value, (ms.nn.Cell, ms.ops.Primitive)):
            return doubled(ms, value)
        for other in known:
            if type(other) is type(value) and not isinstance(value, bool) and is_plain(other) and other != value:
                return other
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            return value + 1
        if isinstance(value, float):
            return value * 0.5 + 0.11
        if isinstance(value, (tuple, list)) and value and all(isinstance(part, (int, float)) for part in value):
            return type(value)([self.other(part) for part in value])
        if isinstance(value, type(ms.float32)):
            return ms.float64 if value == ms.float32 else ms.float32
        if callable(value) and not isinstance(value, type):
            return lambda *args, **kwargs: _twice(ms, value(*args, **kwargs))
        return next((other for other in known if value is None and other is not None and is_plain(other)), None)

    def known(self, constructors: list[str], attribute: str) -> Iterator[Any]:
        """Iterate over the values of an attribute in objects that are made in other ways."""
        for constructor in constructors[:4]:
            if constructor not in self._made:
                self._made[constructor] = None
                with contextlib.suppress(Exception):
                    self._made[constructor] = self.make(constructor)
            with contextlib.suppress(AttributeError):
                yield getattr(self._made[constructor], attribute)


def is_plain(value: Any) -> bool:
    """Return whether a value is written as it is: a number, a string, or a tuple or list of such."""
    if isinstance(value, (tuple, list)):
        return all(map(is_plain, value))
    return value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value))


def doubled(ms: Any, inner: Any) -> Any:
    """Return a cell that computes twice what another cell or a primitive computes."""

    class Doubled(ms.nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.inner = inner

        def construct(self, *args: Any, **kwargs: Any) -> Any:
            return _twice(ms, self.inner(*args, **kwargs))

    return Doubled()


def _twice(ms: Any, value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)([_twice(ms, part) for part in value])
    if isinstance(value, ms.Tensor) and value.dtype == ms.bool_:
        return ms.ops.logical_not(value)
    if isinstance(value, (bool, np.bool_)):
        return not value
    return value * 2 if isinstance(value, (int, float, ms.Tensor)) else value


def weights(ms: Any) -> list[Any]:
    return [
        ms.Parameter(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), name="w"),
        ms.Parameter(ms.Tensor([0.5, -0.5]), name="bias"),
    ]


def groups(ms: Any) -> list[dict[str, Any]]:
    w, bias = weights(ms)
    return [{"params": [w], "lr": 0.2, "weight_decay": 0.1}, {"params": [bias]}]


def trained(ms: Any, optimizer: Any) -> list[Any]:
    """Return the parameters after three steps."""
    for step in (1.0, 2.0, 3.0):
        optimizer((ms.Tensor([[1.0, -2.0], [0.5, 3.0]]) * step, ms.Tensor([0.1, -0.2]) * step))
    return list(optimizer.parameters)


def sgd(ms: Any) -> Any:
    return ms.experimental.optim.SGD(weights(ms), 0.1)


def step_sgd(ms: Any) -> Any:
    return ms.nn.SGD([ms.Parameter(ms.Tensor(np.full((2, 3), 0.5, np.float32)), name="w")], 0.1)


def two_schedules(ms: Any, first: int = 2) -> tuple[Any, list[Any], list[int]]:
    lrs = ms.experimental.optim.lr_scheduler
    optimizer = sgd(ms)
    return optimizer, [lrs.ConstantLR(optimizer, 0.5, 3), lrs.ExponentialLR(optimizer, 0.9)], [first]


def rates(ms: Any, scheduler: Any, *metrics: float) -> list[Any]:
    """Return the learning rates of the next steps."""
    found = []
    for metric in metrics or (None,) * 4:
        scheduler.step() if metric is None else scheduler.step(metric)
        optimizer = scheduler.optimizer
        found += [
            group["lr"].asnumpy() if isinstance(group["lr"], ms.Tensor) else group["lr"]
            for group in optimizer.param_groups
        ]
    return found


def scored(ms: Any, metric: Any, *updates: Any) -> Any:
    metric.clear()
    for update in updates:
        metric.update(*[ms.Tensor(part) if isinstance(part, np.ndarray) else part for part in update])
    return metric.eval()


def loss_net(ms: Any) -> Any:
    return ms.nn.WithLossCell(cases._filled(ms, ms.nn.Dense(3, 2, has_bias=False)), ms.nn.MSELoss())


def with_weights(ms: Any) -> tuple[Any, Any]:
    net = loss_net(ms)
    return net, ms.ParameterTuple(net.trainable_params())


def stepped(ms: Any, step: Any, *inputs: Any) -> list[Any]:
    return [step(*inputs), step(*inputs)]


def scale(ms: Any) -> Any:
    return ms.Parameter(ms.Tensor(8.0, ms.float32), name="scale")


def managed(ms: Any, manager: Any) -> list[Any]:
    found = []
    for overflow in (True, False, False):
        manager.update_loss_scale(overflow)
        found.append(manager.get_loss_scale())
    return found


def scaled(ms: Any, scaler: Any) -> list[Any]:
    found = []
    for finite in (False, True, True):
        found += [scaler.scale(ms.Tensor([2.0])), scaler.unscale(ms.Tensor([2.0]))]
        scaler.adjust(ms.Tensor(finite))
    return found


def rows(ms: Any, dataset: Any, epochs: int = 1) -> list[Any]:
    iterator = dataset.create_dict_iterator(epochs, True)
    found = [sorted((name, value.tolist()) for name, value in row.items()) for _ in range(epochs) for row in iterator]
    return [str(found), dataset.get_dataset_size(), str(sorted(dataset.get_col_names()))]


def used(ms: Any, dataset: Any) -> Any:
    """Return a dataset that has been iterated."""
    rows(ms, dataset)
    return dataset


def file(ms: Any, words: str) -> str:
    path = pathlib.Path(tempfile.gettempdir(), f"late_attributes_{zlib.crc32(words.encode())}")
    path.write_text(words.replace(" ", "\n"))
    return str(path)


def folder(ms: Any, classes: str) -> str:
    path = pathlib.Path(tempfile.gettempdir(), f"late_attributes_{classes}")
    for name, end in itertools.product(classes, ("jpg", "png")):
        (path / name).mkdir(parents=True, exist_ok=True)
        (path / name / f"x.{end}").write_text(f"{name} {end}")
    return str(path)


def list_of(ms: Any, sampler: Any) -> list[Any]:
    data = ms.dataset.NumpySlicesDataset([1, 2, 3, 4, 5], sampler=sampler)
    return rows(ms, data)
