package rutter.crawljax;

import com.crawljax.browser.EmbeddedBrowser;
import com.crawljax.core.state.Element;
import com.crawljax.core.state.Eventable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.openqa.selenium.JavascriptExecutor;
import org.openqa.selenium.WebDriver;
import org.openqa.selenium.WebDriverException;

/**
 * A decorator of the browser that Crawljax works with: fires no event that logs out and counts the others, logs in again where the
 * start page asks for it, and makes pages readable to Crawljax.
 */
final class Attended implements InvocationHandler {
    /**
     * Declares the prefixes of attributes such as `xlink:href`. HTML needs no declaration of them, but Crawljax takes a page without
     * it as empty.
     */
    private static final String DECLARE_PREFIXES = """
            const prefixes = new Set();
            for (const element of document.querySelectorAll('*'))
              for (const { name } of element.attributes)
                if (/^[a-z][\\w-]*:/i.test(name) && !/^xml(ns)?:/i.test(name)) prefixes.add(name.split(':')[0]);
            for (const prefix of prefixes) document.documentElement.setAttribute('xmlns:' + prefix, 'urn:' + prefix);
            """;

    /** What the text, value or address of a control that logs out has. */
    private static final Pattern LOG_OUT = Pattern.compile("\\b(log|sign)[ _-]?(out|off)\\b|/exit\\b", Pattern.CASE_INSENSITIVE);

    private final EmbeddedBrowser browser;
    private final Login login;
    private final AtomicInteger fired;

    private Attended(EmbeddedBrowser browser, Login login, AtomicInteger fired) {
        this.browser = browser;
        this.login = login;
        this.fired = fired;
    }

    /** The browser with this around it; events that took effect are added to the counter. */
    static EmbeddedBrowser around(EmbeddedBrowser browser, Login login, AtomicInteger fired) {
        Class<?>[] types = {EmbeddedBrowser.class};
        return (EmbeddedBrowser) Proxy.newProxyInstance(types[0].getClassLoader(), types, new Attended(browser, login, fired));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        String name = method.getName();
        if (name.startsWith("getStrippedDom")) {
            declarePrefixes();
        }
        if (name.equals("fireEventAndWait") && logsOut(((Eventable) arguments[0]).getElement())) {
            return false;
        }
        Object answer = forward(method, arguments);
        if (name.equals("fireEventAndWait") && Boolean.TRUE.equals(answer)) {
            fired.incrementAndGet();
        }
        if (name.equals("goToUrl") && isLoggedOut()) {
            login.perform(driver());
            answer = forward(method, arguments);
        }
        return answer;
    }

    private Object forward(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(browser, arguments);
        } catch (InvocationTargetException error) {
            throw error.getCause();
        }
    }

    private static boolean logsOut(Element control) {
        String said = control.getText() + " " + control.getAttributeOrNull("value") + " " + control.getAttributeOrNull("href");
        return LOG_OUT.matcher(said).find();
    }

    private void declarePrefixes() {
        try {
            ((JavascriptExecutor) driver()).executeScript(DECLARE_PREFIXES);
        } catch (WebDriverException notReady) {
            // Crawljax meets the same trouble in a moment, and copes with it.
        }
    }

    private boolean isLoggedOut() {
        try {
            return login.isAsked(driver());
        } catch (WebDriverException pageChanged) {
            return false;
        }
    }

    private WebDriver driver() {
        return browser.getWebDriver();
    }
}
