"""A figure: a number that a bound limits, with the places in the tree that it counts."""
import dataclasses


@dataclasses.dataclass
class Figure:
    name: str
    value: int
    findings: list = dataclasses.field(default_factory=list)  # "file:line: text"


def counted(name, findings):
    """A figure whose value is the number of its findings."""
    findings = list(findings)
    return Figure(name, len(findings), findings)
