// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** {@link FabricObject#closeAll} closes an object after all that use it. */
class FabricObjectTest {
  private final List<FabricObject> order = new ArrayList<>();

  /** An object that cannot be closed while others that use it are open. */
  private final class Thing implements FabricObject {
    private final String name;
    private final List<FabricObject> users = new ArrayList<>();
    private @Nullable RuntimeException failure;
    private boolean open = true;

    Thing(String name, Thing... uses) {
      this.name = name;
      for (Thing each : uses) {
        each.users.add(this);
      }
    }

    @Override
    public @Nullable Object context() {
      return null;
    }

    @Override
    public boolean isOpen() {
      return open;
    }

    @Override
    public void close() {
      if (!open) {
        return;
      }
      List<FabricObject> holders = users.stream().filter(FabricObject::isOpen).toList();
      if (!holders.isEmpty()) {
        throw new FabricBusyException(this, holders);
      }
      if (failure != null) {
        throw failure;
      }
      open = false;
      order.add(this);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private final Thing fabric = new Thing("fabric");
  private final Thing domain = new Thing("domain", fabric);
  private final Thing vector = new Thing("vector", domain);
  private final Thing queue = new Thing("queue", domain);
  private final Thing endpoint = new Thing("endpoint", domain, vector, queue);
  private final Thing other = new Thing("other", fabric);

  @Test
  void usersAreClosedFirstAndReturned() {
    assertThat(fabric.closeAll()).containsExactly(endpoint, vector, queue, domain, other);
    assertThat(order).containsExactly(endpoint, vector, queue, domain, other, fabric);
  }

  @Test
  void objectsThatDoNotUseItStayOpen() {
    assertThat(queue.closeAll()).containsExactly(endpoint);
    assertThat(vector.isOpen()).isTrue();
    assertThat(vector.closeAll()).isEmpty();
    assertThat(vector.closeAll()).as("it is closed already").isEmpty();
  }

  @Test
  void refusalNamesTheFirstTenUsers() {
    Thing used = new Thing("used");
    for (int i = 0; i < 12; i++) {
      new Thing("user" + i, used);
    }
    assertThatThrownBy(used::close)
        .hasMessageContaining("user0, user1,")
        .hasMessageEndingWith(", user9] and 2 more, or call closeAll")
        .isInstanceOfSatisfying(
            FabricBusyException.class, busy -> assertThat(busy.holders()).hasSize(12));
  }

  @Test
  void othersAreClosedBehindOneThatFails() {
    endpoint.failure = new IllegalStateException("broken");

    assertThatThrownBy(fabric::closeAll)
        .isSameAs(endpoint.failure)
        .satisfies(failure ->
            assertThat(failure.getSuppressed())
                .extracting(Throwable::getMessage)
                .containsExactly(
                    "EBUSY (16): vector is in use and stays open; close first: [endpoint], or call"
                        + " closeAll",
                    "EBUSY (16): queue is in use and stays open; close first: [endpoint], or call"
                        + " closeAll",
                    "EBUSY (16): domain is in use and stays open; close first: [vector, queue,"
                        + " endpoint], or call closeAll",
                    "EBUSY (16): fabric is in use and stays open; close first: [domain], or call"
                        + " closeAll"));
    assertThat(order).containsExactly(other);

    endpoint.failure = null;
    assertThat(fabric.closeAll()).containsExactly(endpoint, vector, queue, domain);
  }
}
