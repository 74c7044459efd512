"""Settings and devices."""

import torchspore as ts

ts.set_context(mode=ts.PYNATIVE_MODE, device_target="CPU")
ts.set_context(mode=ts.GRAPH_MODE, save_graphs=True)
print(ts.get_context("device_target"), ts.__version__, ts.hal.device_count("CPU"), ts.get_level())
ts.set_device("CPU", 0)
with ts._no_grad():  # error: attr-defined, reportAttributeAccessIssue
    pass
ts.get_contxt("mode")  # error: attr-defined, reportAttributeAccessIssue
ts.hal.divice_count()  # error: attr-defined, reportAttributeAccessIssue
