// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** That the referee would see what may not be. */
class ViewTest {
  private final List<String> findings = new ArrayList<>();

  private View hearing(boolean isJob, String... events) {
    View view =
        new View(isJob, findings::add, (later, finding) -> findings.add(later + ": " + finding));
    for (String each : events) {
      view.heard(each);
    }
    return view;
  }

  @Test
  @DisplayName("Members that come, move, leave and give their handles back are no finding")
  void fine() {
    View service =
        hearing(false, "+ a 1 x 0", "+ b 2 y 1", "> a 3 z 0 1 x", "- b 2 y 1", "+ c 4 y 1");
    assertThat(service.present().keySet()).containsExactly("a", "c");
    assertThat(service.vector().values()).containsExactly("z=a", "y=c");
    View job = hearing(true, "+ 0 1 x 0", "+ 1 2 y 1", "- 1 2 y 1", "+ 1 5 z 1");
    assertThat(job.vector().values()).containsExactly("x=0", "z=1");
    hearing(false, "+ a 1 x 0", "- a 1 x 0", "! a 1 x EALREADY");
    assertThat(findings).isEmpty();
  }

  private void wrong(String finding, boolean isJob, String... events) {
    findings.clear();
    hearing(isJob, events);
    assertThat(findings).isNotEmpty().last().asString().contains(finding);
  }

  @Test
  @DisplayName("A handle of two members, a rank elsewhere, a lost handle, an old incarnation")
  void wrong() {
    wrong("the handle is that of a", false, "+ a 1 x 0", "+ b 2 y 0");
    wrong("a rank's handle is the rank", true, "+ 0 1 x 1");
    wrong("does not fit", false, "+ a 1 x 0", "> a 2 y 1 1 x");
    wrong("does not fit", true, "+ 0 1 x 0", "- 0 1 x 0", "> 0 2 x 0 1 x");
    wrong("older than incarnation 5", false, "+ a 5 x 0", "- a 5 x 0", "+ a 4 x 0");
    wrong("\"> 0 4 x 0 5 y\" is older", true, "+ 0 5 y 0", "> 0 4 x 0 5 y");
    wrong("5: \"> a 4 x 0 5 y\" is older", false, "+ a 5 y 0", "> a 4 x 0 5 y");
    wrong("no event", false, "? a 5 x 0");
  }

  @Test
  @DisplayName("Events that were left out, or come in another order")
  void order() {
    wrong("does not fit", false, "+ a 1 x 0", "+ a 2 x 0");
    wrong("does not fit", false, "- a 1 x 0");
    wrong("does not fit", false, "+ a 1 x 0", "- a 2 x 0");
    wrong("does not fit", false, "+ a 1 x 0", "> a 3 z 0 2 y");
    wrong("does not fit", false, "+ a 1 x 0", "! a 2 y EALREADY");
    wrong("does not fit", true, "+ 0 1 x 0", "- 0 1 x 0", "- 0 1 x 0");
  }
}
