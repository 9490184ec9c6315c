package rutter.crawljax;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebDriver;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.support.pagefactory.ByAll;
import org.openqa.selenium.support.ui.Wait;
import org.openqa.selenium.support.ui.WebDriverWait;

/** Logs a browser in by filling the fields of a page and pressing Enter in the last of them. */
record Login(String address, Map<String, String> fields) {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Whether the current page asks for all the fields. */
    boolean isAsked(WebDriver driver) {
        return fields.keySet().stream().allMatch(name -> !shown(driver, name).isEmpty());
    }

    /** Throws an exception when the page still asks for the fields afterwards. */
    void perform(WebDriver driver) {
        driver.get(address);
        waiting(driver, "for the form of " + address).until(this::isAsked);
        WebElement last = null;
        for (Map.Entry<String, String> field : fields.entrySet()) {
            last = shown(driver, field.getKey()).get(0);
            last.clear();
            last.sendKeys(field.getValue());
        }
        last.sendKeys(Keys.ENTER);
        waiting(driver, "to be let in at " + address).until(page -> !isAsked(page));
    }

    private static Wait<WebDriver> waiting(WebDriver driver, String what) {
        return new WebDriverWait(driver, PATIENCE).withMessage("waited " + what).ignoring(StaleElementReferenceException.class);
    }

    private static List<WebElement> shown(WebDriver driver, String name) {
        return driver.findElements(new ByAll(By.name(name), By.id(name))).stream().filter(WebElement::isDisplayed).toList();
    }
}
