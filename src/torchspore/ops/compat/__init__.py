"""Names that exist so that programs import: of MindSpore's compiler, kernels and generated code."""
