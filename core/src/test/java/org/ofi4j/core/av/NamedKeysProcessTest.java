// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.fails;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.Errno;
import org.ofi4j.Handles;
import org.ofi4j.SharedVectorReport;
import org.ofi4j.core.mapped.VectorVerifier;
import org.ofi4j.core.share.ShareDirectory;
import org.ofi4j.core.testing.Jvm;
import org.ofi4j.core.testing.Rounds;
import org.ofi4j.core.testing.TestDomain;

/**
 * Authorization keys of a vector that real processes share, some of which are killed. {@code
 * -Dofi4j.kills=N} kills more of them.
 */
@Tag("AV-155")
class NamedKeysProcessTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int KILLS = Rounds.of("ofi4j.kills", 2, 4);
  private static final long FIRST = Handles.AUTH_KEY_BIT;

  private final String name = "keyed-" + UUID.randomUUID();
  private final CoreAddressVector vector = NamedKeyUser.open(name);
  private final List<User> users = new ArrayList<>();

  /** A process, with what it is told and answers. */
  private final class User {
    final Process process;
    private final BufferedReader answers;
    private final PrintStream orders;

    User() throws IOException {
      // The same directory, whatever this process was told.
      String directory = System.getProperty("ofi4j.share.directory");
      String[] options =
          directory == null
              ? new String[] {"-XX:TieredStopAtLevel=1"}
              : new String[] {"-XX:TieredStopAtLevel=1", "-Dofi4j.share.directory=" + directory};
      this.process = Jvm.start(NamedKeyUser.class, null, List.of(name), options);
      users.add(this);
      this.answers = process.inputReader();
      this.orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.US_ASCII);
      assertThat(answers.readLine()).isEqualTo("ready");
    }

    String ask(String order) throws IOException {
      orders.println(order);
      return answers.readLine();
    }

    void kill() throws InterruptedException {
      // By its handle: the process itself would close the stream, with what was said last.
      process.toHandle().destroyForcibly();
      process.waitFor();
    }
  }

  @AfterEach
  void close() throws InterruptedException {
    for (User user : users) {
      user.kill();
    }
    vector.close();
  }

  private SharedVectorReport sound() {
    ShareDirectory directory = ShareDirectory.ofUser();
    String domain = OpenedEntries.domain(NamedKeyUser.info().build());
    SharedVectorReport report = VectorVerifier.verify(directory, domain, name, TestDomain.PATIENCE);
    assertThat(report.violations()).isEmpty();
    return report;
  }

  @Test
  @Tag("AV-091")
  @Tag("AV-162")
  @Tag("AV-172")
  void whoHasTheKeyUsesItAndWhoHasNotDoesNot() throws IOException {
    User one = new User();
    User third = new User();
    assertThat(one.ask("key 1")).isEqualTo("0");
    assertThat(one.ask("insert 1 0")).isEqualTo("0");
    assertThat(vector.insertAuthKey(NamedKeyUser.key(2))).isEqualTo(FIRST + 1);
    assertThat(vector.insertAuthKey(NamedKeyUser.key(1))).as("the same").isEqualTo(FIRST);
    assertThat(vector.find(a(1), FIRST)).isZero();
    assertThat(vector.lookupAuthKey(0)).isEqualTo(NamedKeyUser.key(1));
    assertThat(one.ask("key 2")).isEqualTo("1");
    assertThat(one.ask("has 0 1")).isEqualTo("true");
    assertThat(third.ask("lookup 0 1")).as("no secret").isEqualTo("true");
    for (String order : List.of("has 0 1", "find 1 0", "find 1 1", "insert 2 0", "remove 0")) {
      assertThat(third.ask(order)).as(order).isEqualTo("ENOKEY");
    }
    assertThat(third.ask("find 1 2")).as("nobody's").isEqualTo("EINVAL");
    assertThat(third.ask("key 1")).isEqualTo("0");
    assertThat(third.ask("find 1 0")).isEqualTo("0");
    vector.removeAuthKey(FIRST);
    fails(Errno.ENOKEY, () -> vector.lookupAuthKey(0));
    vector.remove(0);
    assertThat(one.ask("insert 1 0")).as("it has its key still").isEqualTo("0");
    sound();
    noFileHasAKey();
  }

  /** While all of them are in use. */
  private void noFileHasAKey() throws IOException {
    Path own = ShareDirectory.ofUser().control("domain", name).getParent();
    int looked = 0;
    try (Stream<Path> files = Files.list(own)) {
      for (Path file : files.filter(path -> path.toString().contains(name)).toList()) {
        String all = Files.readString(file, StandardCharsets.ISO_8859_1);
        for (int which = 1; which <= 2; which++) {
          for (int part = 0; part < 32; part += 8) {
            byte[] some = Arrays.copyOfRange(NamedKeyUser.key(which), part, part + 8);
            assertThat(all.contains(new String(some, StandardCharsets.ISO_8859_1))).isFalse();
          }
        }
        looked++;
      }
    }
    assertThat(looked).isEqualTo(2);
  }

  @Test
  @Tag("AV-039")
  @Tag("AV-133")
  void keysOfAKilledProcessAreLetGo() throws Exception {
    User holder = new User();
    for (int which = 0; which < NamedKeyUser.MOST; which++) {
      assertThat(holder.ask("key " + which)).isEqualTo("" + which);
    }
    assertThat(holder.ask("insert 7 1")).isEqualTo("0");
    assertThat(vector.insertAuthKey(NamedKeyUser.key(3))).isEqualTo(FIRST + 3);
    fails(Errno.ENOSPC, () -> vector.insertAuthKey(NamedKeyUser.key(4)));
    holder.kill();
    assertThat(vector.insertAuthKey(NamedKeyUser.key(4))).isEqualTo(FIRST);
    sound();
    assertThat(vector.insertAuthKey(NamedKeyUser.key(5))).as("1 has an entry").isEqualTo(FIRST + 2);
    fails(Errno.ENOSPC, () -> vector.insertAuthKey(NamedKeyUser.key(2)));
    fails(Errno.ENOKEY, () -> vector.lookupAuthKey(0));
    assertThat(vector.lookupAuthKey(FIRST + 3)).isEqualTo(NamedKeyUser.key(3));
    assertThat(vector.insertAuthKey(NamedKeyUser.key(1))).isEqualTo(FIRST + 1);
    assertThat(vector.find(a(7), FIRST + 1)).isZero();
    sound();
  }

  @Test
  @Tag("AV-039")
  void aKeyThatOnlyAKilledProcessHadIsAsNew() throws Exception {
    User holder = new User();
    assertThat(holder.ask("key 1")).isEqualTo("0");
    assertThat(holder.ask("key 2")).isEqualTo("1");
    // Who begins its first change looks for the dead anyway.
    vector.insert(a(9));
    holder.kill();
    assertThat(vector.insertAuthKey(NamedKeyUser.key(2))).as("the lowest").isEqualTo(FIRST);
    assertThat(vector.insertAuthKey(NamedKeyUser.key(1))).isEqualTo(FIRST + 1);
    sound();
  }

  @Test
  @Tag("AV-039")
  @Tag("AV-041")
  void whoIsKilledAtItLeavesNothingHalf() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    String again = "repeat with -Dofi4j.seed=" + SEED;
    long mine = vector.insertAuthKey(NamedKeyUser.key(99));
    assertThat(mine).isEqualTo(FIRST);
    VectorFixture.under(vector, a(99), mine);
    try {
      for (int kill = 0; kill < KILLS; kill++) {
        List<User> pair = List.of(new User(), new User());
        for (User user : pair) {
          user.orders.println("churn " + (1 + users.indexOf(user)));
        }
        Thread.sleep(random.nextInt(50, 250));
        for (User user : pair) {
          assertThat(user.process.isAlive()).isTrue();
          user.kill();
          assertThat(user.answers.readLine()).as("what it said instead").isNull();
          sound();
          assertThat(vector.find(a(99), mine)).isZero();
          assertThat(vector.lookupAuthKey(0)).isEqualTo(NamedKeyUser.key(99));
          vector.insert(a(1000 + kill));
          sound();
        }
      }
      for (long handle = vector.statistics().highWaterMark(); handle > 0; handle--) {
        removeIfThere(handle);
      }
      for (int which = 1; which < NamedKeyUser.MOST; which++) {
        assertThat(vector.insertAuthKey(NamedKeyUser.key(which))).isEqualTo(FIRST + which);
      }
      sound();
    } catch (AssertionError e) {
      throw new AssertionError(again + ": " + e.getMessage(), e);
    }
  }

  private void removeIfThere(long handle) {
    if (vector.peers().generation(handle) >= 0) {
      vector.remove(handle);
    }
  }
}
