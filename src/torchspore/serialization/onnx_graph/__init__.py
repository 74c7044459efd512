"""ONNX files as graphs: `load` reads them with `model_file`.

`building` turns the nodes of a file into the steps of a `program`; `operations` has a function for each operator.
"""
