// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.connection.Rejections;

/**
 * What the log says of connections that are closed because of what came over them, as long as this
 * is open.
 */
final class RejectedLines implements AutoCloseable {
  private static final Class<?> FILTER = type("Filter");

  private final Object logger;
  private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

  RejectedLines() throws ReflectiveOperationException {
    this(Rejections.class);
  }

  /** What another class writes to the log. */
  RejectedLines(Class<?> about) throws ReflectiveOperationException {
    InvocationHandler collecting =
        (_, _, arguments) -> {
          lines.add((String) arguments[0].getClass().getMethod("getMessage").invoke(arguments[0]));
          return false;
        };
    logger = type("Logger").getMethod("getLogger", String.class).invoke(null, about.getName());
    type("Logger")
        .getMethod("setLevel", type("Level"))
        .invoke(logger, type("Level").getField("FINE").get(null));
    filter(Proxy.newProxyInstance(FILTER.getClassLoader(), new Class<?>[] {FILTER}, collecting));
  }

  /**
   * Where log lines go that nobody asked to go elsewhere. By reflection, so that the module under
   * test need not read the one that keeps logs.
   */
  private static Class<?> type(String name) {
    try {
      return Class.forName("java.util.logging." + name);
    } catch (ClassNotFoundException missing) {
      throw new AssertionError(missing);
    }
  }

  private void filter(@Nullable Object filter) throws ReflectiveOperationException {
    type("Logger").getMethod("setFilter", FILTER).invoke(logger, filter);
  }

  /** The lines, once there are as many as are expected. */
  List<String> await(int count) throws InterruptedException {
    while (lines.size() < count) {
      Thread.sleep(1);
    }
    return List.copyOf(lines);
  }

  @Override
  public void close() throws ReflectiveOperationException {
    filter(null);
  }
}
