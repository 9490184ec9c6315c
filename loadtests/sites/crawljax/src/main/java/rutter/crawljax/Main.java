package rutter.crawljax;

import com.crawljax.browser.EmbeddedBrowser.BrowserType;
import com.crawljax.core.CrawlSession;
import com.crawljax.core.CrawljaxRunner;
import com.crawljax.core.configuration.BrowserConfiguration;
import com.crawljax.core.configuration.CrawlRules.CrawlRulesBuilder;
import com.crawljax.core.configuration.CrawlRules.FormFillMode;
import com.crawljax.core.configuration.CrawljaxConfiguration;
import com.crawljax.core.configuration.CrawljaxConfiguration.CrawljaxConfigurationBuilder;
import com.crawljax.oraclecomparator.OracleComparator;
import com.crawljax.oraclecomparator.comparators.AttributeComparator;
import com.google.gson.Gson;
import java.io.File;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Crawls one application for some time and prints one line of JSON: states, edges, events that were fired, and why it ended.
 *
 * <p>Its settings are one JSON object in the environment variable CRAWLJAX: url, login (the address of its form), fields (name to
 * value), browser and driver (programs), browsers, seconds, and where they are set depth (the most clicks from the start), fill (whether fields
 * get random values) and ignoreValues (whether pages are the same that differ in the values of attributes named `value` only).
 */
public final class Main {
    /** The settings, as they are given. */
    private static final class Settings {
        String url;
        String login;
        LinkedHashMap<String, String> fields;
        String browser;
        String driver;
        int browsers;
        long seconds;
        int depth;
        boolean fill;
        boolean ignoreValues;
    }

    private Main() {}

    public static void main(String[] arguments) {
        System.setProperty("logback.configurationFile", "stderr.xml");
        Settings settings = new Gson().fromJson(System.getenv("CRAWLJAX"), Settings.class);
        Login login = new Login(settings.login, settings.fields);
        URI start = URI.create(settings.url);
        Browsers browsers = new Browsers(new File(settings.browser), new File(settings.driver), login, start);
        Runtime.getRuntime().addShutdownHook(new Thread(browsers::end));
        int status = 0;
        try {
            System.out.println(crawl(settings, browsers));
        } catch (RuntimeException error) {
            error.printStackTrace();
            status = 1;
        }
        // Threads of Crawljax may still wait for something.
        System.exit(status);
    }

    private static String crawl(Settings settings, Browsers browsers) {
        CrawljaxRunner runner = new CrawljaxRunner(configuration(settings, browsers));
        CrawlSession session = runner.call();
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("states", session.getStateFlowGraph().getNumberOfStates());
        found.put("edges", session.getStateFlowGraph().getAllEdges().size());
        found.put("actions", browsers.fired());
        found.put("ended", runner.getReason().toString());
        return new Gson().toJson(found);
    }

    private static CrawljaxConfiguration configuration(Settings settings, Browsers browsers) {
        CrawljaxConfigurationBuilder builder = CrawljaxConfiguration.builderFor(settings.url)
                .setBrowserConfig(new BrowserConfiguration(BrowserType.CHROME_HEADLESS, settings.browsers, browsers))
                .setMaximumRunTime(settings.seconds, TimeUnit.SECONDS);
        if (settings.depth > 0) {
            builder.setMaximumDepth(settings.depth);
        }
        CrawlRulesBuilder rules = builder.crawlRules().clickDefaultElements();
        if (settings.fill) {
            rules.setFormFillMode(FormFillMode.RANDOM);
        }
        if (settings.ignoreValues) {
            rules.addOracleComparator(new OracleComparator("values", new AttributeComparator("value")));
        }
        return builder.build();
    }
}
