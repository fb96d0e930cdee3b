// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * {@code toString} ends up in logs, so no public type shows a key there. The types that hold one
 * are found by their accessors: one that returns a key, or an object of such a type.
 */
class SecretsTest {
  private static final long KEY = 0x5a6b_7c8d_1e2f_3a4bL;
  private static final byte[] BYTES = HexFormat.of().parseHex("5a6b7c8d1e2f3a4b");

  /** An object of each class that holds a key. */
  private static final List<Object> HOLDERS =
      List.of(
          RegisterOptions.of(Access.REMOTE_READ).withKey(KEY),
          new RemotePlace(0, 64, KEY),
          new ReadRequest().place(new RemotePlace(0, 64, KEY)),
          new WriteRequest().place(new RemotePlace(0, 64, KEY)),
          AuthKeyHints.none().withDomainKey(BYTES).withEndpointKey(BYTES),
          Hints.latest().withAuthKeys(AuthKeyHints.none().withDomainKey(BYTES)));

  @Test
  void toStringShowsNoKey() {
    assertThat(HOLDERS)
        .allSatisfy(holder ->
            assertThat(holder.toString())
                .doesNotContainIgnoringCase(
                    Long.toString(KEY),
                    Long.toHexString(KEY),
                    Arrays.toString(BYTES),
                    Arrays.toString(BYTES).replaceAll("[\\[\\]]", "")));
  }

  @Test
  void everyClassThatHoldsAKeyIsTried() throws Exception {
    assertThat(HOLDERS.stream().map(Object::getClass).collect(Collectors.toSet()))
        .isEqualTo(classesWithKeys());
  }

  /** Returns the public classes with an accessor of a key, or of an object that has one. */
  private static Set<Class<?>> classesWithKeys() throws Exception {
    List<Class<?>> all = publicClasses();
    assertThat(all).hasSizeGreaterThan(50).contains(FabricInfo.DomainAttributes.class);
    Set<Class<?>> found = new HashSet<>();
    boolean grows = true;
    while (grows) {
      grows = false;
      for (Class<?> each : all) {
        if (Arrays.stream(each.getMethods()).anyMatch(method -> returnsKey(method, found))) {
          grows |= found.add(each);
        }
      }
    }
    // An interface has no toString; a provider tests what implements it.
    found.removeIf(each -> Modifier.isAbstract(each.getModifiers()));
    return found;
  }

  private static boolean returnsKey(Method method, Set<Class<?>> holders) {
    if (method.getParameterCount() > 0 || Modifier.isStatic(method.getModifiers())) {
      return false;
    }
    Class<?> type = method.getReturnType();
    boolean holdsKey = Set.of(long.class, OptionalLong.class, byte[].class).contains(type);
    return holdsKey && method.getName().toLowerCase(Locale.ROOT).endsWith("key")
        || holders.contains(type) && type != method.getDeclaringClass();
  }

  private static List<Class<?>> publicClasses() throws IOException, URISyntaxException {
    URI here = Fabrics.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    try (Stream<Path> files = Files.list(Path.of(here).resolve("org/ofi4j"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".class") && !name.endsWith("-info.class"))
          .<Class<?>>map(name -> named("org.ofi4j." + name.substring(0, name.length() - 6)))
          .filter(each -> Modifier.isPublic(each.getModifiers()))
          .toList();
    }
  }

  private static Class<?> named(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException absent) {
      throw new AssertionError(absent);
    }
  }
}
