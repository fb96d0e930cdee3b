// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.ShareDirectory;
import org.ofi4j.core.testing.Jvm;
import org.ofi4j.core.testing.TestDomain;

/** Vectors that come and go while a process looks at them that is not attached. */
@Tag("AV-041")
class VisitedVectorTest {
  private static final String CONTENT = Change.INSERT_FIRST.name();

  @TempDir private Path directory;

  private ShareDirectory own;
  private Path control;

  @BeforeEach
  void name() {
    own = ShareDirectory.at(directory.resolve("own"));
    control = own.control("domain", "vector");
  }

  /** Starts a process that attaches to the vector, or makes it. */
  private Process attach(String said) throws IOException {
    List<String> arguments = List.of(directory.toString(), CONTENT);
    return Jvm.start(NamedVectorHolder.class, directory.resolve(said), arguments);
  }

  private void leaveDead() throws IOException, InterruptedException {
    Process made = attach("first");
    while (made.isAlive() && !Files.readString(directory.resolve("first")).contains("ready")) {
      Thread.sleep(10);
    }
    made.destroyForcibly().waitFor();
  }

  private long base() {
    return NamedVector.inspect(
        own, "domain", "vector", TestDomain.PATIENCE, VisitedVectorTest::base);
  }

  private static long base(NamedVector vector) {
    return VectorTraits.of(vector.traits()).mapAddress();
  }

  private void assertAbsent() {
    assertThatThrownBy(this::base)
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT));
  }

  @Test
  void aVectorThatIsMadeAnewMeanwhileIsLookedAtOnceMore() throws Exception {
    leaveDead();
    long before = base();
    List<Long> seen = new ArrayList<>();
    Process[] other = new Process[1];
    try {
      long last =
          NamedVector.inspect(
              own,
              "domain",
              "vector",
              TestDomain.PATIENCE,
              vector -> {
                seen.add(base(vector));
                try {
                  if (seen.size() == 1) {
                    other[0] = attach("second");
                    while (other[0].isAlive() && base(vector) == before) {
                      Thread.sleep(10);
                    }
                  }
                  return base(vector);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      assertThat(seen).as("one look at each").containsExactly(before, last);
      assertThat(last).isNotEqualTo(before).isNotZero().isEqualTo(base());
    } finally {
      if (other[0] != null) {
        other[0].destroyForcibly().waitFor();
      }
    }
  }

  @Test
  void aVectorThatGoesMeanwhileIsNotDamaged() throws Exception {
    leaveDead();
    assertThatThrownBy(() ->
            NamedVector.inspect(
                own,
                "domain",
                "vector",
                TestDomain.PATIENCE,
                vector -> {
                  try {
                    Files.delete(control);
                    return 0;
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                }))
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT));
  }

  /** Whoever makes a vector makes that first. */
  @Test
  void aFileThatIsEmptyStillIsNoVector() throws IOException {
    Files.createFile(control);
    Files.setPosixFilePermissions(control, PosixFilePermissions.fromString("rw-------"));
    assertAbsent();
  }
}
