// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.ofi4j.CounterFlag;

/** The operations of one direction, of which so many can be under way, and lists of them. */
class OperationPoolTest {
  private static final class Numbered extends Operation {}

  private final OperationPool<Numbered> pool = new OperationPool<>(2, Numbered::new);

  private Numbered take() {
    return Objects.requireNonNull(pool.take(CounterFlag.SEND, false));
  }

  private static List<@Nullable Object> contexts(Operations<Numbered> operations) {
    List<@Nullable Object> contexts = new ArrayList<>();
    for (Numbered each = operations.first(); each != null; each = operations.after(each)) {
      contexts.add(each.context);
    }
    return contexts;
  }

  @Test
  void poolHasAsManyAsItsSize() {
    Numbered first = take();
    take();

    assertThat(pool.take(CounterFlag.SEND, false)).isNull();
    assertThat(pool.outstanding()).isEqualTo(2);
    pool.giveBack(first);
    assertThat(pool.outstanding()).isEqualTo(1);
  }

  @Test
  void operationThatWasTakenHasBegun() {
    Numbered taken = Objects.requireNonNull(pool.take(CounterFlag.RECEIVE, true));

    assertThat(taken.what).isEqualTo(CounterFlag.RECEIVE);
    assertThat(taken.tagged).isTrue();
  }

  @Test
  void operationThatIsReportedBecomesIdle() {
    Numbered sent = take();
    sent.reported();

    assertThat(pool.outstanding()).isZero();
    assertThat(take()).isSameAs(sent);
  }

  @Test
  void operationIsUsedAgainWithoutItsRequest() {
    Numbered used = take();
    used.context = "context";
    used.tag = 1;
    pool.giveBack(used);

    assertThat(take()).isSameAs(used);
    assertThat(used.context).isNull();
    assertThat(used.tag).isZero();
  }

  @Test
  void listKeepsTheOrderWhenOperationsAreTakenOut() {
    Operations<Numbered> list = new Operations<>();
    for (String context : List.of("a", "b", "c")) {
      Numbered each = new Numbered();
      each.context = context;
      list.add(each);
    }

    assertThat(list.remove("b")).isNotNull();
    assertThat(list.remove("b")).isNull();
    Numbered last = Objects.requireNonNull(list.remove("c"));
    list.addAfter(null, last);
    assertThat(contexts(list)).containsExactly("c", "a");

    Operations<Numbered> all = new Operations<>();
    all.takeAll(list);
    assertThat(list.isEmpty()).isTrue();
    assertThat(all.size()).isEqualTo(2);
    assertThat(Objects.requireNonNull(all.poll()).context).isEqualTo("c");
    assertThat(Objects.requireNonNull(all.poll()).context).isEqualTo("a");
    assertThat(all.poll()).isNull();
  }
}
