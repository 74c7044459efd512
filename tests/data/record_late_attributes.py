"""Record what MindSpore 2.10 computes when attributes are replaced: `python tests/data/record_late_attributes.py`.

For each object of `tests/late_attributes.py` and each of its public attributes the result after the attribute got
another value, which is part of the name if it is a number or a string; nothing if that changes nothing, fails, or there
is no other valid value.
"""

import json
import pathlib
import signal
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))

import mindspore  # noqa: E402

import late_attributes  # noqa: E402

mindspore.set_context(pynative_synchronize=True)  # else an error shows up in a later expression
signal.signal(signal.SIGALRM, signal.default_int_handler)  # of calls that do not end
answers = late_attributes.Answers(mindspore)
lines = []
for constructor, use, others in late_attributes.walked(mindspore):
    try:
        usual, again = [answers.compute(answers.make(constructor), use) for _ in range(2)]
    except Exception:
        continue
    if isinstance(usual, str) or again != usual:
        print("no answer:", constructor, use, usual if isinstance(usual, str) else "random")
        continue
    found = {"": usual}
    for attribute in answers.attributes(answers.make(constructor)):
        it = answers.make(constructor)
        try:
            value = answers.other(getattr(it, attribute), answers.known(others, attribute))
        except Exception:
            continue
        if value is None:
            continue
        name = f"{attribute}={value!r}" if late_attributes.is_plain(value) else attribute
        signal.alarm(30)
        try:
            setattr(it, attribute, value)
            result = answers.compute(it, use)
        except (Exception, KeyboardInterrupt):
            continue
        finally:
            signal.alarm(0)
        if not isinstance(result, str) and result != usual:
            found[name] = result
    if len(found) > 1:
        lines.append(f"{json.dumps(f'{constructor} | {use}')}: {json.dumps(found)}")
(here / "late_attributes.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
