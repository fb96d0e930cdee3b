// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.BackgroundCallback;

/** A client that never reports the answer to some request in the background. */
final class LosingClient {
  private LosingClient() {}

  /**
   * Wraps a client.
   *
   * @param isLosing whether the answer to the next request is lost; false again after that
   */
  static CuratorFramework of(CuratorFramework real, AtomicBoolean isLosing) {
    return (CuratorFramework) losing(real, isLosing);
  }

  /** A client, or a step of a request of it, that loses the answer of one request if it is told. */
  private static Object losing(Object real, AtomicBoolean isLosing) {
    Class<?>[] steps =
        Stream.<Class<?>>iterate(real.getClass(), Objects::nonNull, Class::getSuperclass)
            .flatMap(each -> Stream.of(each.getInterfaces()))
            .filter(each -> each.getName().startsWith("org.apache.curator.framework."))
            .filter(each -> Modifier.isPublic(each.getModifiers()))
            .distinct()
            .toArray(Class<?>[]::new);
    InvocationHandler handler =
        (_, method, arguments) -> {
          Object[] passed = arguments;
          if (method.getName().equals("inBackground") && isLosing.compareAndSet(true, false)) {
            passed = new Object[] {(BackgroundCallback) (_, _) -> {}};
          }
          try {
            Object next = method.invoke(real, passed);
            boolean isStep =
                next != null && next.getClass().getSimpleName().endsWith("BuilderImpl");
            return isStep ? losing(next, isLosing) : next;
          } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
          }
        };
    return Proxy.newProxyInstance(CuratorFramework.class.getClassLoader(), steps, handler);
  }
}
