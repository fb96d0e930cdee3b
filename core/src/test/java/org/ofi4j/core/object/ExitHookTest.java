// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.object;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Actions at the end of a process. */
class ExitHookTest {
  /** Ends with actions of which the first one fails and one was removed. */
  static final class Program {
    public static void main(String[] arguments) {
      Runnable removed = () -> System.out.println("removed");
      ExitHook.add(() -> {
        throw new IllegalStateException("planted");
      });
      ExitHook.add(removed);
      ExitHook.add(() -> System.out.println("run"));
      ExitHook.remove(removed);
    }

    private Program() {}
  }

  @Test
  void actionsAreRunAtTheEndUnlessTheyWereRemoved() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                Path.of(ExitHook.class.getProtectionDomain().getCodeSource().getLocation().toURI())
                    + ":"
                    + Path.of(
                        ExitHookTest.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI()),
                Program.class.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isZero();
    assertThat(output).isEqualToIgnoringNewLines("run");
  }

  @Test
  void hookIsThereAsLongAsThereAreActions() {
    boolean before = ExitHook.isRegistered();
    Runnable action = () -> {};
    ExitHook.add(action);
    ExitHook.add(action);
    assertThat(ExitHook.isRegistered()).isTrue();
    ExitHook.remove(action);
    assertThat(ExitHook.isRegistered()).isEqualTo(before);
  }
}
