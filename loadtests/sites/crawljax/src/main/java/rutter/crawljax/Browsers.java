package rutter.crawljax;

import com.crawljax.browser.EmbeddedBrowser;
import com.crawljax.browser.WebDriverBackedEmbeddedBrowser;
import com.crawljax.core.configuration.CrawlRules;
import com.google.common.collect.ImmutableSortedSet;
import java.io.File;
import java.net.URI;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.inject.Provider;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/** Starts headless browsers that are logged in and reach nothing but the application. */
final class Browsers implements Provider<EmbeddedBrowser> {
    private final File browser;
    private final File driver;
    private final Login login;
    private final URI start;
    private final Queue<ChromeDriver> started = new ConcurrentLinkedQueue<>();
    private final AtomicInteger fired = new AtomicInteger();

    Browsers(File browser, File driver, Login login, URI start) {
        this.browser = browser;
        this.driver = driver;
        this.login = login;
        this.start = start;
    }

    @Override
    public EmbeddedBrowser get() {
        ChromeOptions options = new ChromeOptions();
        options.setBinary(browser);
        // There is no such proxy: nothing but the application can be reached.
        options.addArguments("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage");
        options.addArguments("--proxy-server=http://127.0.0.1:9", "--proxy-bypass-list=<-loopback>;" + start.getAuthority());
        options.addArguments("--remote-allow-origins=*");
        ChromeDriverService service = new ChromeDriverService.Builder().usingDriverExecutable(driver).usingAnyFreePort().build();
        ChromeDriver chrome = new ChromeDriver(service, options);
        started.add(chrome);
        // The size that Crawljax gives to browsers that it starts itself.
        chrome.manage().window().setSize(new Dimension(1200, 890));
        login.perform(chrome);
        chrome.get(start.toString());
        if (login.isAsked(chrome)) {
            throw new IllegalStateException(start + " asks for a log-in again right after it");
        }
        EmbeddedBrowser crawled = WebDriverBackedEmbeddedBrowser.withDriver(
                chrome, ImmutableSortedSet.of(), CrawlRules.DEFAULT_WAIT_AFTER_EVENT, CrawlRules.DEFAULT_WAIT_AFTER_RELOAD);
        return Attended.around(crawled, login, fired);
    }

    /** How many events took effect in all browsers, those on ways back included. */
    int fired() {
        return fired.get();
    }

    /** Ends all browsers with their drivers. */
    void end() {
        for (ChromeDriver chrome; (chrome = started.poll()) != null; ) {
            try {
                chrome.quit();
            } catch (WebDriverException alreadyGone) {
                // The driver ended with its browser.
            }
        }
    }
}
