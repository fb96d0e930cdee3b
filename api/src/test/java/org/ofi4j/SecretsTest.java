// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.SecretKey;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * {@code toString} and messages of exceptions end up in logs, so no public type shows a secret
 * there. The types that hold one are found by their accessors: one that returns a secret by its
 * name or type, or an object of such a type.
 */
class SecretsTest {
  private static final long KEY = 0x5a6b_7c8d_1e2f_3a4bL;
  private static final byte[] BYTES = HexFormat.of().parseHex("5a6b7c8d1e2f3a4b");

  /** Types of the JDK that are secrets, or hold some. */
  private static final Set<Class<?>> SECRETS =
      Set.of(
          SSLContext.class,
          PrivateKey.class,
          SecretKey.class,
          KeyStore.class,
          KeyManager[].class,
          char[].class);

  /** Names of accessors that return a secret as bytes or as a number; a size is none. */
  private static final Pattern SECRET_NAME =
      Pattern.compile("(?i)(key|secret|password|token|credential)(?!.*size)");

  private static final Hints HINTS =
      Hints.latest().withAuthKeys(AuthKeyHints.none().withDomainKey(BYTES));

  private static final TransportSecurity TLS = TransportSecurity.of(secretContext());

  /** An object of each class that holds a secret. */
  private static final List<Object> HOLDERS =
      List.of(
          TLS,
          ConnectionOptions.defaults().withSecurity(TLS),
          EndpointOptions.none().withConnections(ConnectionOptions.defaults().withSecurity(TLS)),
          ScalableOptions.none().withConnections(ConnectionOptions.defaults().withSecurity(TLS)),
          PassiveOptions.none().withSecurity(TLS),
          RegisterOptions.of(Access.REMOTE_READ).withKey(KEY),
          new RemotePlace(0, 64, KEY),
          new ReadRequest().place(new RemotePlace(0, 64, KEY)),
          new WriteRequest().place(new RemotePlace(0, 64, KEY)),
          AuthKeyHints.none().withDomainKey(BYTES).withEndpointKey(BYTES),
          HINTS);

  private static SSLContext secretContext() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, null, null);
      return context;
    } catch (GeneralSecurityException impossible) {
      throw new AssertionError(impossible);
    }
  }

  private static void assertNoSecret(String text) {
    assertThat(text)
        .doesNotContainIgnoringCase(
            Long.toString(KEY),
            Long.toHexString(KEY),
            Arrays.toString(BYTES),
            Arrays.toString(BYTES).replaceAll("[\\[\\]]", ""),
            TLS.context().toString());
  }

  @Test
  void toStringShowsNoSecret() {
    assertThat(HOLDERS).allSatisfy(holder -> assertNoSecret(holder.toString()));
  }

  @Test
  void exceptionsShowNoSecret() {
    List<ThrowingCallable> refused =
        List.of(
            () -> new RemotePlace(0, -1, KEY),
            () -> new RemotePlace(0, 64, KEY).from(65),
            () -> Fabrics.info(HINTS, List.of()).best(),
            () -> Fabrics.open(HINTS));
    assertThat(refused)
        .allSatisfy(call -> {
          Throwable thrown = catchThrowable(call);
          assertThat(thrown).isInstanceOf(FabricException.class);
          assertNoSecret(thrown.toString());
        });
  }

  @Test
  void everyClassThatHoldsSecretIsTried() throws Exception {
    assertThat(HOLDERS.stream().map(Object::getClass).collect(Collectors.toSet()))
        .isEqualTo(classesWithSecrets());
  }

  /** Returns the public classes with an accessor of a secret, or of an object that has one. */
  private static Set<Class<?>> classesWithSecrets() throws Exception {
    List<Class<?>> all = publicClasses();
    assertThat(all).hasSizeGreaterThan(50).contains(FabricInfo.DomainAttributes.class);
    Set<Class<?>> found = new HashSet<>();
    boolean grows = true;
    while (grows) {
      grows = false;
      for (Class<?> each : all) {
        if (Arrays.stream(each.getMethods()).anyMatch(method -> returnsSecret(method, found))) {
          grows |= found.add(each);
        }
      }
    }
    // An interface has no toString; a provider tests what implements it.
    found.removeIf(each -> Modifier.isAbstract(each.getModifiers()));
    return found;
  }

  private static boolean returnsSecret(Method method, Set<Class<?>> holders) {
    if (method.getParameterCount() > 0 || Modifier.isStatic(method.getModifiers())) {
      return false;
    }
    Class<?> type = method.getReturnType();
    boolean holdsKey = Set.of(long.class, OptionalLong.class, byte[].class).contains(type);
    return SECRETS.contains(type)
        || (holdsKey && SECRET_NAME.matcher(method.getName()).find())
        || (holders.contains(type) && type != method.getDeclaringClass());
  }

  /** Returns all public classes of the packages that the module exports. */
  static List<Class<?>> publicClasses() throws IOException, URISyntaxException {
    URI here = Fabrics.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    Path root = Path.of(here);
    try (Stream<Path> files = Files.walk(root.resolve("org/ofi4j"))) {
      return files
          .map(file -> root.relativize(file).toString().replace('/', '.'))
          .filter(name -> name.endsWith(".class") && !name.endsWith("-info.class"))
          .<Class<?>>map(name -> named(name.substring(0, name.length() - ".class".length())))
          .filter(each -> Modifier.isPublic(each.getModifiers()))
          .filter(each -> each.getModule().isExported(each.getPackageName()))
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
