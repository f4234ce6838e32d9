"""A real browser without a window, Debian's ``chromium`` driven by ``chromium-driver``, and pages of ``tilelayout.exploring`` in it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver import ActionChains
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

import tilelayout as tl

ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--window-size=1280,1000")
HOW = "these tests need a browser: apt-get install chromium chromium-driver"
#: What a page is told to move without.
STILL = [{"name": "prefers-reduced-motion", "value": "reduce"}]
#: Answers once nothing of the page has been replaced for three frames: boards fit themselves to their room a frame after they get it.
AT_REST = """
const done = arguments[0];
let still = 0;
new MutationObserver(() => (still = 0)).observe(document.body, { childList: true, subtree: true });
const frame = () => (++still > 3 ? done() : requestAnimationFrame(frame));
requestAnimationFrame(frame);
"""


class Browser:
    """A browser, with one page open at a time."""

    def __init__(self, folder: Path) -> None:
        programs = [shutil.which(name) for name in ("chromium", "chromedriver")]
        if None in programs:
            pytest.fail(HOW)
        options = webdriver.ChromeOptions()
        for argument in ARGUMENTS:
            options.add_argument(argument)
        options.binary_location = programs[0]
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(programs[1]))
        self.folder = folder

    def open(self, layout: Any, shape: Any = None, *, compare: Any = None, dark: bool = False, width: int = 1280) -> None:
        """Open the page of a layout."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", features=[scheme, *STILL])
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=1000, deviceScaleFactor=1, mobile=False)
        path = self.folder / "page.html"
        tl.explore(layout, shape, compare=compare).save(path)
        self.driver.get(path.as_uri())
        self.rest()

    def rest(self) -> None:
        """Wait until the page has come to rest."""
        self.driver.execute_async_script(AT_REST)

    def command(self, name: str, **parameters: Any) -> Any:
        """Ask the browser by its own protocol."""
        return self.driver.execute_cdp_cmd(name, parameters)

    def run(self, script: str, *arguments: Any) -> Any:
        """What a script returns."""
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list[WebElement]:
        """The elements that a CSS selector finds."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        """The first of them, which must be there."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        """The texts of elements, in one call."""
        return self.run("return [...document.querySelectorAll(arguments[0])].map((found) => found.textContent)", selector)

    def text(self, selector: str) -> str:
        """The text of the first element."""
        return self.texts(selector)[0]

    def point(self, element: WebElement) -> None:
        """Move the pointer there."""
        ActionChains(self.driver).move_to_element(element).perform()

    def press(self, *keys: str) -> None:
        """Press keys, one after another, wherever the focus is."""
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def chord(self, held: str, key: str) -> None:
        """Press a key while another is held."""
        ActionChains(self.driver).key_down(held).send_keys(key).key_up(held).perform()

    def type(self, selector: str, text: str) -> None:
        """Type into a field, in place of what is there, and Enter."""
        field = self.one(selector)
        field.clear()
        field.send_keys(f"{text}\n")

    def complaints(self) -> list[str]:
        """What the console has got to say since it was last asked."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def close(self) -> None:
        """End the browser."""
        self.driver.quit()
