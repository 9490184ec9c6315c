"""Records pages of a running application into a folder: each as it stands in the browser, without scripts, and what it is drawn with.

The folder has `pages.json` (path to file), the pages, `assets.json` with the assets, and `elements.json`: for each page what a
person could act on, by role, name and place, as the browser itself tells it.
"""

import hashlib
import json
import shutil
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from copies import Copies
from webdriver import Browser

HERE = Path(__file__).resolve().parent

# What is left of a page: values as they stand in its fields, no scripts, nothing that runs by itself.
STILL = """
for (const field of document.querySelectorAll('input, textarea, select')) {
  if (field.matches('input[type=checkbox], input[type=radio]')) field.toggleAttribute('checked', field.checked);
  else if (field.matches('input:not([type=file])')) field.setAttribute('value', field.value);
  else if (field.matches('textarea')) field.textContent = field.value;
  else if (field.matches('select')) for (const option of field.options) option.toggleAttribute('selected', option.selected);
}
const unwanted = 'script, noscript, link[rel~=preload], link[rel~=modulepreload], link[rel~=manifest], meta[http-equiv], iframe, object, embed';
for (const gone of document.querySelectorAll(unwanted)) gone.remove();
for (const element of document.querySelectorAll('*')) {
  for (const {name, value} of [...element.attributes]) {
    if (name.startsWith('on') || (['href', 'action', 'formaction'].includes(name) && /^javascript:/i.test(value))) element.removeAttribute(name);
  }
}
document.documentElement.removeAttribute('data-turbo');
return '<!doctype html>' + document.documentElement.outerHTML;
"""
ASSETS = """
return performance.getEntriesByType('resource').filter(entry => ['link', 'css', 'img'].includes(entry.initiatorType)).map(entry => entry.name)
"""
LOG_IN = """
const fields = arguments[0];
for (const [name, value] of Object.entries(fields)) document.getElementsByName(name)[0].value = value;
const last = document.getElementsByName(Object.keys(fields)[Object.keys(fields).length - 1])[0];
const form = last.form;
(form.querySelector('[type=submit], button:not([type])') || form).click();
"""
# How long a page may take to draw itself after it was loaded.
DRAWN_S = 1.5
# Roles of what a person acts on.
ROLES = {
    "button", "checkbox", "combobox", "link", "listbox", "menuitem", "menuitemcheckbox", "menuitemradio", "radio", "searchbox", "slider",
    "spinbutton", "switch", "tab", "textbox", "date", "datetime", "DisclosureTriangle", "PopUpButton", "popupbutton", "Date",
    "InputTime", "ColorWell", "treeitem", "file",
}
# How many ancestors of an element tell which item it belongs to, and how much text of each is kept.
ANCESTORS, TEXT = 12, 4000


def log_in(browser, server, application):
    if not application.login:
        return
    browser.open(f"http://127.0.0.1:{server.port}{application.login_path}")
    browser.run(LOG_IN, application.login)
    time.sleep(DRAWN_S)


def fetched(url):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=30) as answer:
            return answer.headers.get("Content-Type", "application/octet-stream"), answer.read()
    except urllib.error.HTTPError:
        return None


def record(browser, server, application, paths, folder):
    """Records these paths of a running server, logged in."""
    folder.mkdir(parents=True)
    origin = f"http://127.0.0.1:{server.port}"
    log_in(browser, server, application)
    pages, assets = {}, {}
    for number, path in enumerate(paths):
        browser.open(origin + path)
        time.sleep(DRAWN_S)
        drawn_with = browser.run(ASSETS)
        text = browser.run(STILL).replace(origin, "")
        file = f"page-{number}.html"
        (folder / file).write_text(text)
        # Where the application leads on from there, that page is what stands at the address.
        arrived = browser.address().removeprefix(origin).partition("#")[0]
        pages[path] = pages[arrived] = file
        for url in drawn_with:
            place = url.removeprefix(origin)
            if url.startswith(origin) and place not in assets and (answer := fetched(url)):
                kind, content = answer
                stored = f"asset-{len(assets)}"
                (folder / stored).write_bytes(content)
                assets[place] = [stored, kind]
    (folder / "pages.json").write_text(json.dumps(pages, indent=1) + "\n")
    (folder / "assets.json").write_text(json.dumps(assets, indent=1) + "\n")


class Tree:
    """The page's nodes by their number, with path and text of each."""

    def __init__(self, root):
        self.paths, self.parents, self.texts, self.attributes = {}, {}, {}, {}
        self.walk(next(child for child in root["children"] if child["nodeName"] == "HTML"), "", None, 1)

    def walk(self, node, above, parent, position):
        number = node["backendNodeId"]
        path = f"{above}/{node['nodeName'].lower()}[{position}]"
        listed = node.get("attributes", [])
        self.attributes[number] = dict(zip(listed[::2], listed[1::2]))
        self.paths[number], self.parents[number] = path, parent
        seen, texts = {}, []
        for child in node.get("children", []):
            if child["nodeType"] == 3:
                texts.append(child["nodeValue"])
            elif child["nodeType"] == 1 and child["nodeName"] not in ("STYLE", "SCRIPT"):
                seen[child["nodeName"]] = seen.get(child["nodeName"], 0) + 1
                self.walk(child, path, number, seen[child["nodeName"]])
                texts.append(self.texts[child["backendNodeId"]])
            elif child["nodeType"] == 1:
                seen[child["nodeName"]] = seen.get(child["nodeName"], 0) + 1
        if self.attributes[number].get("type") != "hidden":
            texts += [self.attributes[number].get(name, "") for name in ("value", "title", "aria-label")]
        self.texts[number] = " ".join(" ".join(texts).split())[:TEXT]

    def tag(self, number):
        return self.paths[number].rpartition("/")[2].partition("[")[0]

    def form(self, number):
        """How the form around an element is sent, where there is one."""
        while number is not None and self.tag(number) != "form":
            number = self.parents[number]
        return number and self.attributes[number].get("method", "get").lower()

    def above(self, number):
        """The texts of the element and its ancestors, the nearest first."""
        found = []
        while number is not None and len(found) < ANCESTORS:
            found.append(self.texts[number])
            number = self.parents[number]
        return found


def elements(browser, url):
    """What can be acted on at an address."""
    browser.open(url)
    tree = Tree(browser.devtools("DOM.getDocument", depth=-1)["root"])
    browser.devtools("Accessibility.enable")
    found = []
    for node in browser.devtools("Accessibility.getFullAXTree")["nodes"]:
        role, number = node.get("role", {}).get("value", ""), node.get("backendDOMNodeId")
        if node.get("ignored") or role not in ROLES or number not in tree.paths:
            continue
        name = " ".join(node.get("name", {}).get("value", "").split())
        attributes = tree.attributes[number]
        shows = tree.tag(number) == "summary" or any(name in attributes for name in ["aria-expanded", "aria-haspopup", "aria-controls"])
        known = {"href": attributes.get("href"), "field": attributes.get("name"), "form": tree.form(number), "shows": shows}
        found.append({"path": tree.paths[number], "role": role.lower(), "name": name, **known, "above": tree.above(number)})
    return found


def record_elements(browser, url, folder):
    """Writes down what can be acted on, of every page in the folder, served at `url`."""
    pages = json.loads((folder / "pages.json").read_text())
    found = {}
    for path, file in pages.items():
        if file not in found:
            found[file] = elements(browser, url + path)
    (folder / "elements.json").write_text(json.dumps(found) + "\n")


def recorded(application, paths, store, port):
    """The folder of an application's pages: recorded where that was not done yet, or where what is recorded has changed."""
    known = hashlib.blake2b(json.dumps(paths).encode(), digest_size=6)
    for file in [HERE / "record.py", *HERE.glob("forum/*.py"), HERE / "bookmarks.py"]:
        known.update(file.read_bytes())
    folder = store / f"{application.site()}-{known.hexdigest()}"
    if folder.exists():
        return folder
    print(f"{application.site()}: recording {len(paths)} pages", file=sys.stderr, flush=True)
    part = store / f"{application.site()}.unfinished"
    shutil.rmtree(part, ignore_errors=True)
    place = Path(tempfile.mkdtemp(prefix="rutter-english-"))
    server = application.start(place / "server")
    try:
        with Browser(port, application.language) as browser:
            record(browser, server, application, paths, part)
    finally:
        server.stop()
        shutil.rmtree(place)
    # Another browser sees what was recorded, by itself.
    with Copies(part) as copies, Browser(port, application.language) as browser:
        record_elements(browser, copies.url, part)
    part.rename(folder)
    return folder
