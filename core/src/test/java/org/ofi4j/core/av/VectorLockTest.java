// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestInfo;

/** The lock is given back whatever happens when it is taken. */
class VectorLockTest {
  @Test
  void noMemoryToBeginIsAnErrnoAndKeepsNothing() throws InterruptedException {
    AtomicBoolean exhausted = new AtomicBoolean(true);
    try (EntryStore real = EntryStore.open(0, true, DuplicatePolicy.SHARE)) {
      EntryStore store =
          (EntryStore)
              Proxy.newProxyInstance(
                  EntryStore.class.getClassLoader(),
                  new Class<?>[] {EntryStore.class},
                  (proxy, method, arguments) -> {
                    if (method.getName().equals("begin") && exhausted.get()) {
                      throw new OutOfMemoryError("unable to create native thread");
                    }
                    try {
                      return method.invoke(real, arguments);
                    } catch (InvocationTargetException failed) {
                      throw failed.getCause();
                    }
                  });
      VectorLock lock = new VectorLock(store, new Lifetime(domain(), () -> {}));
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(lock::begin)
            .isInstanceOf(FabricException.class)
            .hasMessageContaining("ENOMEM (12)")
            .hasMessageContaining("unable to create native thread");
      }
      exhausted.set(false);
      AtomicBoolean taken = new AtomicBoolean();
      Thread other =
          Thread.ofVirtual()
              .start(() -> {
                lock.begin();
                taken.set(true);
                lock.end();
              });
      other.join();
      assertThat(taken).isTrue();
    }
  }

  private static TestDomain domain() {
    return TestDomain.of(TestInfo.defaults());
  }
}
