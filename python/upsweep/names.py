"""Names of operators, transforms, comparisons and borders, and their codes in upsweep.h."""
from .errors import BadArgument

OPERATORS = {name: code for code, names in enumerate((
    ("plus", "+", "add", "sum"), ("multiplies", "*", "multiply", "prod"), ("minimum", "min"), ("maximum", "max"), ("bit_and", "&"),
    ("bit_or", "|"), ("bit_xor", "^"), ("logical_and", "and", "all"), ("logical_or", "or", "any"))) for name in names}
TRANSFORMS = {None: 0, "identity": 0, "negate": 1, "absolute": 2, "abs": 2, "square": 3}
COMPARISONS = {"<": 0, "<=": 1, ">": 2, ">=": 3, "==": 4, "!=": 5}
BORDERS = {"none": 0, "zero": 1, "clamp": 2, "reflect": 3, "mirror": 4, "wrap": 5}


def one_of(call, what, names, name):
    try:
        return names[name]
    except (KeyError, TypeError):
        known = ", ".join(str(each) for each in names if isinstance(each, str))
        raise BadArgument(f"{call}: unknown {what} {name!r}; give one of {known}") from None
