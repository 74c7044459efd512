"""MindSpore's generated operations, `mindspore.ops.auto_generate`: names are resolved on first use.

The names follow rules:

- `Name` is a primitive and `name` a function, from `torchspore.ops`, or from `mint` as a primitive. Endings that only
  select a kernel (`AddExt`, `FmodScalar`, `TransposeView`) are ignored, and `InplaceName` writes into its first input,
  as the tensor's method `name_` does.
- `name_op` is an instance of the primitive. `NamePrim_` and `name_impl` are the primitive whose call also takes the
  attributes, and `pyboost_name(primitive, inputs)` calls it.

Kernels of gradients (`AbsGrad`) are in `ops.gradients`, as are the kernels of `ops.operations._grad_ops`. The kernels
of Ascend cards, and other operations of these cards, only raise NotImplementedError when used.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any as _Any

from torchspore import ops
from torchspore.common.names.unsupported import unsupported
from torchspore.common.tensor import Tensor
from torchspore.engine.primitive import Primitive, primitive
from torchspore.ops.compat.parameters import with_positions
from torchspore.ops.compat.unsupported import refusing
from torchspore.ops.gradients import find_kernel, kernel_names

# Names that the rules do not resolve, as `_normal` writes them, and their functions.
_FORMS = {
    name: f"{module}.{function}"
    for module, functions in {
        "ops.attention.generated": "fusedinferattentionscore=fused_infer_form speedfusionattention=speed_fusion_form",
        "ops.experts.routing": """
            fusedaddtopkdiv=fused_add_topk_div grouptopk=group_topk innermoetokenunpermute=moe_token_unpermute
            moecomputeexperttokens=moe_compute_expert_tokens moefinalizerouting=moe_finalize_routing
            moegatingtopksoftmax=moe_gating_top_k_softmax moeinitrouting=moe_init_routing topkrouter topprouter
        """,
        "ops.compat.generated_forms": """
            addlayernormv2=add_layernorm_v2 batchnormext=batch_norm_ext constantpadnd=constant_pad_nd convolution
            convolutionstr=convolution crossentropyloss=cross_entropy_loss flashattentionscore=flash_attention_score
            flip formatcast=format_cast gmm gmmv2=gmm groupedmatmul=grouped_matmul
            groupedmatmuladd_=inplace_grouped_matmul_add groupedmatmulv4=grouped_matmul_v4 groupnorm=group_norm
            inplacegroupedmatmuladd=inplace_grouped_matmul_add inplacematmuladd=inplace_matmul_add
            inplacesilu=inplace_silu layernormext=layer_norm_ext layernormv3=layer_norm_v3 listtotuple=list_to_tuple
            logsigmoid=log_sigmoid matmuladd_=inplace_matmul_add nllloss2d=nllloss_2d onehotext=one_hot_ext
            reflectionpad1d=reflection_pad reflectionpad2d=reflection_pad reflectionpad3d=reflection_pad
            replicationpad1d=replication_pad replicationpad2d=replication_pad replicationpad3d=replication_pad scatter
            scattervalue=scatter smoothl1loss=smooth_l1_loss tensorscatterelements=tensor_scatter_elements
            tupletolist=tuple_to_list unique2 uniquedim=unique_dim upsamplebicubic2d=upsample_bicubic2d
            upsamplebilinear2d=upsample_bilinear2d upsamplelinear1d=upsample_linear1d upsamplenearest1d=upsample_nearest
            upsamplenearest2d=upsample_nearest
        """,
        "ops.updates.generated": """
            adamw applyadamw=apply_adamw applycamepart1=apply_came_part1 applycamepart2=apply_came_part2
            applycamepart3=apply_came_part3 applycamepart4=apply_came_part4
        """,
        "ops.attention.paged": """
            applyrotaryposemb=apply_rotary_pos_emb_ applyrotaryposemb_=apply_rotary_pos_emb_
            kvcachescatterupdate=kv_cache_scatter_update reshapeandcache=reshape_and_cache
        """,
        "ops.experts.quantization": """
            dequantswigluquant=dequant_swiglu_quant dynamicblockquant=dynamic_block_quant
            dynamicquantext=dynamic_quant_ext quantbatchmatmul=quant_batch_matmul quantmatmul=quant_matmul
            quantv2=quant_v2 weightquantbatchmatmul=weight_quant_batch_matmul
        """,
        "ops.random.stateless": """
            bernoulliext=bernoulli_ext dropout2dext=dropout2d_ext dropoutdomaskext=dropout_do_mask_ext
            dropoutext=dropout_ext dropoutgenmaskext=dropout_gen_mask_ext funcdropoutext=func_dropout_ext
            inplacebernoulliscalar=inplace_bernoulli inplacebernoullitensor=inplace_bernoulli
            inplaceexponential=inplace_exponential inplacenormal=inplace_normal inplacerandom=inplace_random
            inplaceuniform=inplace_uniform multinomialext=multinomial_ext normalfloatfloat=normal_float_float
            normalfloattensor=normal_float_tensor normaltensorfloat=normal_tensor_float
            normaltensortensor=normal_tensor_tensor randext=rand_ext randint randintlike=randint_like
            randlikeext=rand_like_ext randn randnlike=randn_like randpermext=randperm_ext uniformext=uniform_ext
        """,
        "mint": """
            batchmatmulext=bmm copy=clone divmod=div divmods=div inplaceaddr=addr_ mediandim=median splittensor=split
            splittensorview=split splitwithsize=split splitwithsizeview=split subs=sub unstackextview=unbind vdot
        """,
        "mint.linalg": "linalgnorm=norm linalgqr=qr linalgvectornorm=vector_norm",
        "mint.nn.functional": """
            conv1dpadding=conv1d conv2dpadding=conv2d conv3dpadding=conv3d
            funcmaxpool2d=max_pool2d im2colext=unfold inplaceelu=elu_ inplacehardtanh=hardtanh_ inplacerelu=relu_
            inplacethreshold=threshold_
        """,
        "numpy": "tracev2=trace correlate",
        "scipy.fft": "dct dctn idct idctn",
        "scipy.linalg": "solvetriangular=solve_triangular",
        "ops": """
            fillscalar=full filltensor=full hshrink=hardshrink
            multiscaledeformableattn=multi_scale_deformable_attn_function reduceall=all reduceany=any reducemax=amax
            reducemin=amin reversev2=flip selectv2=select
        """,
        "Tensor": """
            contiguous inplaceaddext=add_ inplacesubext=sub_ inplacesubscalar=sub_ inplaceindexadd=index_add_
            inplaceindexaddext=index_add_ innerinplaceindexput=index_put_
            inplaceindexput=index_put_ inplacescattersrc=scatter_ inplacescattersrcreduce=scatter_
            inplacescattervalue=scatter_ inplacescattervaluereduce=scatter_ maskedscatter=masked_scatter
            newempty=new_empty newfull=new_full repeat tensortoscalar=item todtype=to toother=to view viewdtype=view
        """,
    }.items()
    for name, _, function in ((*entry.partition("=")[:2], entry.rpartition("=")[2]) for entry in functions.split())
}
# Primitives whose constructor takes some of the function's parameters.
_ATTRIBUTES = {
    "Correlate": "mode",
    "Diagonal": "offset dim1 dim2",
    "EluExt": "alpha",
    "FlashAttentionScore": """
        head_num keep_prob scale_value pre_tokens next_tokens inner_precise input_layout sparse_mode
    """,
    "FusedInferAttentionScore": """
        num_heads scale_value pre_tokens next_tokens input_layout num_key_value_heads sparse_mode inner_precise
        block_size antiquant_mode softmax_lse_flag key_antiquant_mode value_antiquant_mode
    """,
    "GroupedMatmul": "split_item group_type transpose_a transpose_b",
    "IncreFlashAttention": "num_heads input_layout scale_value num_key_value_heads block_size inner_precise",
    "LayerNormV3": "begin_norm_axis begin_params_axis epsilon",
    "OneHotExt": "axis",
    "PromptFlashAttention": """
        num_heads scale_value pre_tokens next_tokens input_layout num_key_value_heads sparse_mode inner_precise
    """,
    "QuantBatchMatmul": "transpose_x1 transpose_x2 dtype",
    "StackExt": "dim",
    "WeightQuantBatchMatmul": "transpose_x transpose_weight antiquant_group_size",
}
# Primitives that MindSpore keeps in private modules, and where they are; a test compares both.
PRIVATE = {
    name: module
    for module, names in {
        "ops.compat.private_primitives": """
            AddV2 AdjustContrastv2 ArgminV2 AvgPoolV1 Centralization ClipByNorm ConcatOffset ConcatOffsetV1
            ConvertToDynamic DynamicBroadcastTo DynamicStitch Eigh ErrorOnDynamicShapeInput GpuConvertToDynamicShape
            InstanceNormV2
            IsParameter Load Lu MaxPoolV1 NonZeroWithValue RangeV2 ReLUV3 SameTypeShape SelfAdjointEig
            SparseSoftmaxCrossEntropyWithLogitsV2 TransShape TridiagonalSolve same_type_shape_
        """,
        "ops.compat.private_kernels": """
            AllFinite AsStrided BNTrainingReduce ConfusionMulGrad DynamicAssign DynamicBroadcastGradientArgs
            FFTOrtho FFTShapeCopy IRFFTDouble InnerUnique InplaceAddsExt InplaceDivMod
            InplaceDivMods InplaceStopGradient InstanceNorm KVCacheMgr LpNormV2 LstsqV2 MaxPoolWithIndices
            MaxPoolWithMask NonZeroWithValueShape PadAndShift RaggedTensorToTensor ScaleGrad UpdateCache
        """,
        "ops.compat.python_values": """
            BoolNot Format InSequence IsDimUnKnown IsInstance IsSubClass ListAppend ListAppendAndInsertGrad ListInsert
            ListToTensor ScalarAdd ScalarBool ScalarDiv ScalarEq ScalarFloorDiv ScalarGe ScalarGt ScalarLe ScalarLog
            ScalarLt ScalarMax ScalarMin ScalarMod ScalarMul ScalarPow ScalarSub ScalarUadd ScalarUsub SequenceAdd
            SequenceAddN SequenceAddOffset SequenceConcat SequenceCount SequenceIndex SequenceMax SequenceMin
            SequenceMul SequenceSlice SequenceSliceGrad SequenceSliceSetItem SequenceStack SequenceUnstack
            SequenceZerosLike ShapeMulGrad TensorToList TileSize TopTypeof TupleToTensor bit_and bit_left_shift bit_or
            bit_right_shift bit_xor issubclass_ list_greater_equal list_greater_than list_le list_lt scalar_bool
            sequence_len string_ge string_getitem string_gt string_in string_le string_lt string_mul string_not
            tuple_greater_equal tuple_greater_than tuple_le tuple_lt
        """,
        "ops.image.regions": "PSROIPooling ResizeV2",
        "ops.neural.fake_quantization": """
            BatchNormFold2 CorrectionMul FakeLearnedScaleQuantPerChannel FakeLearnedScaleQuantPerLayer
            FakeQuantPerChannel FakeQuantPerChannelGrad FakeQuantPerLayer FakeQuantPerLayerGrad
            FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannel
            FakeQuantWithMinMaxVarsPerChannelGradient MinMaxUpdatePerChannel MinMaxUpdatePerLayer
        """,
        "ops.recurrent.flat": "GRUV2 LSTMV2",
        "ops.sparse.csr_kernels": """
            CSRSparseMatrixToDense CSRSparseMatrixToSparseTensor DenseToCSRSparseMatrix SparseMatrixAdd
            SparseMatrixMatMul SparseMatrixNNZ SparseMatrixSoftmax SparseMatrixSparseMatMul SparseMatrixTranspose
            SparseTensorToCSRSparseMatrix
        """,
        "ops.sparse.kernels": """
            DenseToDenseSetOperation DenseToSparseSetOperation RaggedTensorToSparse SetSize SparseAdd SparseAddmm
            SparseConcat SparseCountSparseOutput SparseDenseCwiseAdd SparseDenseCwiseDiv SparseDenseCwiseMul
            SparseFillEmptyRows SparseReorder SparseReshape SparseSegmentMeanWithNumSegments SparseSegmentSqrtN
            SparseSegmentSqrtNWithNumSegments SparseSegmentSum SparseSegmentSumWithNumSegments SparseSoftmax
            SparseSparseMaximum SparseSparseMinimum SparseSplit SparseToDenseV2 Sspaddmm
        """,
        "ops.updates.rows": """
            SparseApplyAdagradDA SparseApplyCenteredRMSProp SparseApplyMomentum SparseApplyProximalGradientDescent
        """,
    }.items()
    for name in names.split()
}
# Functions that differ from functions of `ops` with the same names: `mint`'s, or variants.
_NOT_OF_OPS = {
    "adaptive_avg_pool1d", "cosine_embedding_loss", "count_nonzero", "dot", "exp2", "flip",
    "logaddexp2", "mv", "narrow", "smooth_l1_loss", "tensor_scatter_elements", "threshold",
}  # fmt: skip
# Functions that take by position what the operation takes by keyword, and names of parameters that differ there.
_POSITIONAL = {
    "add_scalar", "log_softmax_ext", "mean_ext", "prod_ext", "softshrink_grad", "sort_ext", "sub_scalar", "sub_scalar_",
    "sub_tensor_", "sum_ext",
}  # fmt: skip
_PARAMETERS = {
    "expand_dims_view": "input_x=input axis=dim",
    "gather_nd_ext": "input_x=input",
    "index_fill_scalar": "x=input axis=dim",
    "index_fill_tensor": "x=input axis=dim",
    "scalar_to_tensor": "input_x=data",
    "split_tensor": "tensor=input split_size_or_sections=split_size",
    "split_with_size": "tensor=input split_size_or_sections=split_size",
}
_MODULES = ("mint.nn.functional", "mint", "mint.linalg", "mint.special", "ops")
_ENDING = re.compile(r"(ext|view|extview|scalartensor|tensorscalar|tensortensor|scalar|tensor|int|s)$")
_GRADIENT = re.compile(r"Grad|Backward|Backprop|(^|_)(grad|backward)(_|$)")
_MAYBE_GRADIENT = re.compile("grad|back", re.IGNORECASE)
_COMMUNICATION = re.compile(r"(Dist|Inner)Comm|(dist|inner)_comm_")
_load: Callable[[str], ModuleType]


def __getattr__(name: str) -> _Any:
    found = None if name.startswith("__") else _find(name)
    if found is None:
        raise AttributeError(
            f"module '{__name__}' has no attribute '{name}'. Use a function or primitive of 'torchspore.ops' or a "
            "function of 'torchspore.mint'."
        )
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *vars(ops)["__all__"]})


def _find(name: str) -> _Any:
    if name in _NOT_OF_OPS:
        return _function(_normal(name))
    if name in vars(ops):
        return vars(ops)[name]
    if name in PRIVATE:
        return getattr(_module(PRIVATE[name]), name)
    if name[0].isupper() and _kernel(name) is not None:
        return _kernel(name)
    plain = re.sub(r"^pyboost_|(Prim_|_op|_impl)$", "", name)
    reason = None if name.startswith("_") else _reason(plain)
    if reason:
        return refusing(name, reason)
    if name.startswith("pyboost_"):
        form = _form(plain)
        return form and (lambda primitive, inputs: form()(*inputs))
    if plain == name:
        if name[0].isupper():
            return _form(name, _ATTRIBUTES.get(name, ""))
        function = _function(_normal(name), forms=name.startswith("inplace_"))
        renamed = dict(pair.split("=") for pair in _PARAMETERS.get(name, "").split())
        return with_positions(function, **renamed) if function and (renamed or name in _POSITIONAL) else function
    form = _form(plain)
    if name.endswith("Prim_"):
        return form
    known = (_primitives().get(_normal(plain)) or _kernel(plain)) if name.endswith("_op") else None
    try:
        return (known or form)()  # type: ignore[misc]
    except TypeError:  # it needs attributes, or there is none
        return form and form()


def _reason(name: str) -> str | None:
    if _GRADIENT.search(name) and _kernel(name) is None:
        return "it is a gradient kernel of Ascend cards. Use `ms.grad`, which differentiates the operation itself."
    if _COMMUNICATION.match(name):
        return "it is a communication kernel. Use `mint.distributed`."
    return _reasons().get(_normal(name))


def _form(name: str, attributes: str = "") -> type[Primitive] | None:
    """Return the primitive whose call takes the arguments of the function other than its attributes."""
    function = _function(_normal(name))
    if function is None:
        return None
    title = name if name[0].isupper() else "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # a builtin without a signature
        return None
    given = {attribute: parameters[attribute].default for attribute in attributes.split()}
    required = [attribute for attribute, value in given.items() if value is inspect.Parameter.empty]
    return primitive(title, function, *required, **{a: value for a, value in given.items() if a not in required})


def _normal(name: str) -> str:
    """Return a name in lower case, without underscores except for one at its end."""
    return name[:-1].replace("_", "").lower() + name[-1:].lower()


def _kernel(name: str) -> type[Primitive] | None:
    """Return the kernel of a gradient by any spelling of its name."""
    return find_kernel(_kernels().get(_normal(name), "")) if _MAYBE_GRADIENT.search(name) else None


@functools.cache
def _kernels() -> dict[str, str]:
    """Return the names of the kernels of gradients by their normal names."""
    return {_normal(name): name for name in kernel_names()}


def _function(name: str, forms: bool = True) -> Callable[..., _Any] | None:
    """Return the function of a normal name, from `_FORMS` or else by the rules; in reverse order without `forms`."""
    if _kernel(name) is not None:
        return _kernel(name).operation  # type: ignore[union-attr]
    found = (_by_form(name) or _by_rule(name)) if forms else (_by_rule(name) or _by_form(name))
    if found is None and name in _private():
        title = _private()[name]
        found = getattr(getattr(_module(PRIVATE[title]), title), "operation", None)
    return found


@functools.cache
def _private() -> dict[str, str]:
    """Return the names of private primitives by their normal names."""
    return {_normal(name): name for name in PRIVATE}


def _by_form(name: str) -> Callable[..., _Any] | None:
    if name not in _FORMS:
        return None
    module, _, function = _FORMS[name].rpartition(".")
    found = getattr(_module(module), function)
    return _as_function(found) if module == "Tensor" else found


def _by_rule(name: str) -> Callable[..., _Any] | None:
    for stem in (name, _ENDING.sub("", name)):
        for module in _MODULES:
            if stem in _functions(module):
                return _functions(module)[stem]
    written = name.removeprefix("inplace").removesuffix("_")
    for stem in (f"{written}_", _ENDING.sub("", written) + "_"):
        if stem in _methods() and name != written:
            return _as_function(_methods()[stem])
    return None


def _as_function(method: Callable[..., _Any]) -> Callable[..., _Any]:
    """Return a method as a function whose first parameter is `input`."""

    def function(*args: _Any, **kwargs: _Any) -> _Any:
        return method(*args, **kwargs)

    first, *others = inspect.signature(method).parameters.values()
    function.__signature__ = inspect.Signature([first.replace(name="input"), *others])  # type: ignore[attr-defined]
    function.__name__, function.__doc__, function.__module__ = method.__name__, method.__doc__, method.__module__
    return function


def load_packages_with(load: Callable[[str], ModuleType]) -> None:
    """Set the function that imports a module of `torchspore` by its path: most are of packages above this one."""
    global _load
    _load = load


def _module(name: str) -> _Any:
    return Tensor if name == "Tensor" else _load(name)


@functools.cache
def _functions(module: str) -> dict[str, _Any]:
    members = {name: getattr(_module(module), name) for name in _module(module).__all__}
    return {_normal(name): member for name, member in members.items() if inspect.isroutine(member)}


@functools.cache
def _methods() -> dict[str, _Any]:
    names = [name for name in dir(Tensor) if name.endswith("_") and name[0] != "_" and hasattr(Tensor, name)]
    return {_normal(name): getattr(Tensor, name) for name in names}


@functools.cache
def _primitives() -> dict[str, _Any]:
    members = {name: vars(ops)[name] for name in vars(ops)["__all__"]}
    return {
        _normal(name): member
        for name, member in members.items()
        if inspect.isclass(member) and issubclass(member, Primitive)
    }


@functools.cache
def _reasons() -> dict[str, str]:
    return {
        _normal(name): reason for name, reason in {**unsupported("ops"), **unsupported("ops.auto_generate")}.items()
    }
