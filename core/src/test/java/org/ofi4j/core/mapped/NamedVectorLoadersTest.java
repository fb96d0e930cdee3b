// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.ShareDirectory;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.Jvm;
import org.ofi4j.core.testing.TestDomain;

/** Copies of the classes in other class loaders of one process, which have locks in common. */
@Tag("AV-040")
class NamedVectorLoadersTest {
  private static final StoreOptions OPTIONS = OtherLoaderUser.OPTIONS;

  @TempDir private Path directory;

  @BeforeEach
  void nameDirectory() {
    System.setProperty("other.directory", directory.toString());
  }

  @AfterEach
  void forgetDirectory() {
    System.clearProperty("other.directory");
    assertThat(System.getProperties().stringPropertyNames())
        .noneMatch(property -> property.contains(directory.toString()));
  }

  private NamedStore open() {
    return NamedStore.of(NamedStores.vector(directory, OPTIONS, false), OPTIONS);
  }

  /** Another copy of everything. */
  private static URLClassLoader loader() throws MalformedURLException {
    String[] parts = Jvm.classPath().split(File.pathSeparator, -1);
    URL[] places = new URL[parts.length];
    for (int i = 0; i < parts.length; i++) {
      places[i] = Path.of(parts[i]).toUri().toURL();
    }
    // The platform's loader would lead to this one for the packages of its modules.
    return new URLClassLoader(places, null);
  }

  @SuppressWarnings("unchecked")
  private static Callable<String> user(ClassLoader loader) throws ReflectiveOperationException {
    Class<?> user = loader.loadClass(OtherLoaderUser.class.getName());
    assertThat(user).isNotSameAs(OtherLoaderUser.class);
    return (Callable<String>) user.getDeclaredConstructor().newInstance();
  }

  private String ask(boolean reads) throws Exception {
    Path said = Files.createTempFile(directory, "said", "");
    Process other =
        Jvm.start(
            OtherLoaderUser.class,
            said,
            "-Dother.directory=" + directory,
            "-Dother.reads=" + reads);
    assertThat(other.waitFor()).isZero();
    return Files.readString(said).trim();
  }

  @Test
  void oneOfThemHasAVectorAtATimeAndKeepsItsLocks() throws Exception {
    try (URLClassLoader loader = loader()) {
      Callable<String> other = user(loader);
      String entries;
      try (NamedStore store = open()) {
        store.begin();
        Change.INSERT_IPV4.prepare(store);
        store.end();
        entries = store.size() + " entries";
        assertThat(other.call()).contains("EBUSY", "class loader", "URLClassLoader");
        // Whom a lost lock made dead would not be found by who reads.
        assertThat(ask(true)).isEqualTo(entries);
        assertThat(ask(false)).isEqualTo(entries);
        assertThat(store.size() + " entries").as("nobody began anew").isEqualTo(entries);
      }
      try (AutoCloseable closing = (AutoCloseable) other) {
        assertThat(closing).isSameAs(other);
        assertThat(other.call()).isEqualTo("0 entries");
        assertThatThrownBy(this::open).hasMessageContainingAll("EBUSY", "URLClassLoader");
        assertThatThrownBy(() -> Soundness.look(directory)).hasMessageContaining("EBUSY");
        ShareDirectory own = ShareDirectory.at(directory.resolve("own"));
        assertThatThrownBy(() -> NamedVector.unlink(own, "domain", "vector", TestDomain.PATIENCE))
            .hasMessageContaining("EBUSY");
        assertThat(ask(true)).isEqualTo("0 entries");
      }
      open().close();
    }
  }
}
