"""Which ways through an application are compared, and where and for how long each goes. Plain data."""

from typing import NamedTuple


class Kind(NamedTuple):
    """A way through an application: a strategy, and the mode that it has."""

    strategy: str
    mode: str | None = None
    # Whether it goes through all applications at full length; the others go through two of them for a shorter time.
    is_long: bool = True

    def seconds(self, site, long, short):
        """How long it goes through an application; `None` where it does not."""
        if self.strategy == "start-up":
            return 0
        if self.is_long:
            return long
        return short if site in SHORT_SITES else None


SHORT_SITES = ["ihatemoney", "roundup"]
KINDS = {
    "start-up": Kind("start-up"),
    "frontier-free": Kind("frontier", "free"),
    "frontier-careful": Kind("frontier", "careful"),
    "plain-crawl": Kind("plain crawl"),
    "crawljax-defaults": Kind("crawljax", "defaults"),
    "crawljax-depth": Kind("crawljax", "depth"),
    **{name: Kind(name, "free", is_long=False) for name in ["systematic", "breadth-first", "q-learning", "random"]},
}
