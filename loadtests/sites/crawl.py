"""A plain authenticated crawl: an HTTP client that logs in by the form and follows links, breadth-first. It is what exploring with
browsers has to beat; it fills no form, runs no script, and presses no button.

Like Rutter it stays on the host and port it starts at, obeys robots.txt, and follows no link that logs out or deletes.
"""

import http.cookiejar
import json
import re
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import urllib.robotparser
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser

from served import opener

NAME = "rutter-plain-crawl"
# What a link says, in its text or address, that is left alone.
LEFT_ALONE = re.compile(r"\b(log|sign)[ _-]?(out|off)\b|\bexit\b|\b(delete|remove|retire|erase)\b", re.IGNORECASE)
# Pages longer than this are not read to their end.
MOST = 2_000_000


class Page(HTMLParser):
    """The links and forms of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.forms, self.link = [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "a" and attributes.get("href"):
            self.link = [attributes["href"], ""]
            self.links.append(self.link)
        elif tag == "form":
            self.forms.append({"action": attributes.get("action") or "", "fields": {}})
        elif tag == "input" and self.forms and attributes.get("name"):
            if attributes.get("type") not in ("checkbox", "radio"):
                self.forms[-1]["fields"].setdefault(attributes["name"], attributes.get("value") or "")

    def handle_endtag(self, tag):
        if tag == "a":
            self.link = None

    def handle_data(self, data):
        if self.link:
            self.link[1] += data


class Crawl:
    """Visits what links lead to until the time is over; `pages` are those that were loaded."""

    def __init__(self, start):
        self.start = start
        self.origin = urllib.parse.urlsplit(start)[:2]
        self.cookies = http.cookiejar.CookieJar()
        self.opener = opener(urllib.request.HTTPCookieProcessor(self.cookies))
        self.opener.addheaders = [("User-Agent", NAME)]
        self.robots = urllib.robotparser.RobotFileParser()
        self.robots.parse(self.get(urllib.parse.urljoin(start, "/robots.txt"))[1].splitlines())
        self.waiting, self.known = deque([start]), {start}
        self.pages = self.under_way = 0
        self.changed = threading.Condition()

    def get(self, url, fields=None):
        """Address and text of what is answered; no text when that is an error or no page."""
        body = urllib.parse.urlencode(fields).encode() if fields else None
        try:
            with self.opener.open(urllib.request.Request(url, data=body), timeout=30) as answer:
                is_text = answer.headers.get_content_maintype() == "text"
                return answer.url, answer.read(MOST).decode("utf-8", "replace") if is_text else ""
        except (urllib.error.URLError, OSError, ValueError):
            return url, ""

    def log_in(self, path, fields):
        """Sends the form that has all the fields."""
        address, text = self.get(urllib.parse.urljoin(self.start, path))
        form = next((form for form in Page(text).forms if fields.keys() <= form["fields"].keys()), None)
        if form is None:
            raise SystemExit(f"{address} shows no form with the fields {', '.join(fields)}")
        address, text = self.get(urllib.parse.urljoin(address, form["action"]), {**form["fields"], **fields})
        if any(fields.keys() <= form["fields"].keys() for form in Page(text).forms):
            raise SystemExit(f"{address} still asks for {', '.join(fields)}: the crawl is not logged in")

    def log_in_by_json(self, path, fields, headers):
        """Sends what a script of the page would send."""
        url = urllib.parse.urljoin(self.start, path)
        headers = {"Content-Type": "application/json", **headers}
        try:
            self.opener.open(urllib.request.Request(url, json.dumps(fields).encode(), headers), timeout=30).close()
        except urllib.error.HTTPError as refused:
            raise SystemExit(f"{url} answers {refused.code}: the crawl is not logged in") from refused

    def run(self, seconds, threads):
        end = time.monotonic() + seconds
        with ThreadPoolExecutor(threads) as pool:
            for done in [pool.submit(self.work, end) for _ in range(threads)]:
                done.result()

    def work(self, end):
        while (url := self.next(end)) is not None:
            try:
                address, text = self.get(url)
                self.learn(address, text)
            finally:
                with self.changed:
                    self.under_way -= 1
                    self.pages += bool(text)
                    self.changed.notify_all()

    def next(self, end):
        """The next address; none when nothing is left, or no time."""
        with self.changed:
            while not self.waiting and self.under_way:
                self.changed.wait(1)
            if not self.waiting or time.monotonic() > end:
                return None
            self.under_way += 1
            return self.waiting.popleft()

    def learn(self, base, text):
        for href, said in Page(text).links:
            try:
                url = urllib.parse.urljoin(base, href.strip()).split("#")[0]
                parts = urllib.parse.urlsplit(url)
            except ValueError:
                continue
            is_ours = parts[:2] == self.origin and self.robots.can_fetch(NAME, url)
            if not is_ours or LEFT_ALONE.search(said) or LEFT_ALONE.search(urllib.parse.unquote(f"{parts.path}?{parts.query}")):
                continue
            with self.changed:
                if url not in self.known:
                    self.known.add(url)
                    self.waiting.append(url)
                    self.changed.notify()
