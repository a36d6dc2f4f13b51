"""Pages that everybody can use: the rules of axe, and the faults that it finds on a page."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

# Rules of WCAG 2.2 and good practice; in the dark only what depends on colours is looked at anew.
ALL_RULES = {"resultTypes": ["violations"]}
COLOURS = {
    "resultTypes": ["violations"],
    "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
}

# Its answer is large: only what is wrong comes back.
RUN_AXE = """async (options) => {
  const { violations } = await axe.run(options);
  return violations.flatMap((each) => each.nodes.map((node) => `${location.pathname} ${each.id}: ${node.html}`));
}"""


def faults(page: Page, rules: dict[str, Any]) -> list[str]:
    """What axe finds wrong, one line each."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found: list[str] = page.evaluate(RUN_AXE, rules)
    return found
