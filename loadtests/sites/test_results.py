"""What `results.py` works out and `page.py` says, on runs whose figures are known. `make test` runs them."""

import unittest

from kinds import KINDS
from page import answer, section
from results import at, claims, of_site, row


def run(strategy, mode, covered, seconds=600, **more):
    """A run in which that many lines had run at 20, 50, 110, 290 and 590 s."""
    times = [20, 50, 110, 290, 590]
    curve = [{"at_s": 0.0, "lines": 1000, "covered": 200}]
    curve += [{"at_s": float(time), "lines": 1000, "covered": lines} for time, lines in zip(times, covered)]
    return {"strategy": strategy, "mode": mode, "seconds": seconds, "took_s": seconds + 2.0, "curve": curve, **more}


START_UP = {"strategy": "start-up", "mode": None, "seconds": 0, "curve": [{"at_s": 0.0, "lines": 1000, "covered": 200}]}
EFFORT = {"actions": 40, "known_outcomes": 10, "forms_sent": 6, "forms_accepted": 4}
FRONTIER = run("frontier", "free", [300, 400, 500, 600, 700], effort=EFFORT, states=30, actions=40)
CRAWL = run("plain crawl", None, [350, 390, 390, 390, 390]) | {"took_s": 45.3}
CRAWLJAX = run("crawljax", "defaults", [250, 300, 350, 400, 500], states=12, edges=20, actions=33)
DEEP = run("crawljax", "depth", [260, 310, 340, 410, 450], states=14, edges=30, actions=44)


class Figures(unittest.TestCase):
    def test_the_lines_at_a_time_are_those_of_the_last_look_before_it(self):
        curve = [{"at_s": 0.0, "covered": 5}, {"at_s": 29.9, "covered": 7}, {"at_s": 30.1, "covered": 9}]
        self.assertEqual([at(curve, seconds) for seconds in [0, 29, 30, 31]], [5, 5, 7, 9])

    def test_an_exploration_has_all_figures(self):
        found = row(FRONTIER)
        self.assertEqual(found["lines_at"], {"30": 300, "60": 400, "120": 500, "300": 600, "600": 700})
        self.assertEqual((found["states"], found["actions"], found["known_outcome_ratio"]), (30, 40, 0.25))
        self.assertEqual((found["forms_sent"], found["forms_accepted"], found["ended_early_s"]), (6, 4, None))

    def test_who_is_no_exploration_has_no_outcomes_and_no_forms(self):
        found = row(CRAWL)
        self.assertEqual([found[name] for name in ["states", "actions", "known_outcome_ratio", "forms_sent"]], [None] * 4)
        self.assertEqual(found["ended_early_s"], 45.3)

    def test_a_shorter_run_has_no_lines_at_later_times(self):
        found = row(run("random", "free", [1, 2, 3, 4], seconds=300, effort=EFFORT))
        self.assertEqual(found["lines_at"], {"30": 1, "60": 2, "120": 3, "300": 4, "600": None})

    def test_start_up_is_a_figure_of_the_site_and_no_row(self):
        site = of_site("shop", "A shop.", [START_UP, FRONTIER, CRAWL])
        self.assertEqual((site["start_up"], site["total"], len(site["rows"])), (200, 1000, 2))


class Claims(unittest.TestCase):
    site = of_site("shop", "A shop.", [START_UP, FRONTIER, CRAWL, CRAWLJAX, DEEP])

    def test_who_had_more_lines_at_a_time_is_named(self):
        self.assertEqual(claims([self.site])["first"], {"compared": 5, "missed": ["shop, 30 s: 300 lines, plain crawl 350"]})
        self.assertEqual(answer(5, ["shop, 30 s"]), "**no**, in 4 of 5 comparisons. shop, 30 s.")

    def test_crawljax_is_taken_at_its_better_mode_and_start_up_counts_apart(self):
        over = self.site["over_crawljax"]
        self.assertEqual((over["mode"], over["crawljax"], over["lines"], over["seconds"]), ("defaults", 500, 700, 600))
        self.assertEqual((over["ratio"], round(over["ratio_beyond_start_up"], 2)), (1.4, 1.67))
        self.assertEqual(claims([self.site])["over_crawljax"], {"compared": 1, "missed": []})

    def test_a_quarter_more_than_crawljax_is_wanted(self):
        near = run("crawljax", "depth", [1, 1, 1, 1, 561])
        site = of_site("shop", "A shop.", [START_UP, FRONTIER, near])
        self.assertEqual(claims([site])["over_crawljax"]["missed"], ["shop: 700 lines, 1.248 times the 561"])

    def test_what_was_not_measured_is_not_compared(self):
        for runs in [[START_UP, FRONTIER], [START_UP, CRAWLJAX], [FRONTIER | {"seconds": 20}, CRAWLJAX | {"seconds": 20}]]:
            site = of_site("shop", "A shop.", runs)
            self.assertEqual([claim["compared"] for claim in claims([site]).values()], [0, 0])
            self.assertIn("A shop.", section(site))

    def test_the_page_says_who_was_first_and_who_ended_early(self):
        said = section(self.site)
        self.assertIn("| `frontier --free` | 300 (100) | 400 (200) | 500 (300) | 600 (400) | 700 (500) | 30 | 40 |", said)
        self.assertIn("The most lines: at 30 s plain crawl, at 1 min `frontier --free`,", said)
        self.assertIn("At 10 min `frontier --free` has 1.40 times the lines of the better Crawljax (defaults), 1.67 times beyond start-up.", said)
        self.assertIn("Nothing was left to do after 45 s for plain crawl.", said)
        self.assertIn("| `frontier --free` | 25% | 6 | 4 |", said)


class Kinds(unittest.TestCase):
    def test_the_other_strategies_go_through_two_applications_for_a_shorter_time(self):
        self.assertEqual([KINDS["random"].seconds(site, 600, 300) for site in ["roundup", "elsewhere"]], [300, None])
        self.assertEqual(KINDS["crawljax-depth"].seconds("elsewhere", 600, 300), 600)


if __name__ == "__main__":
    unittest.main()
