// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.benchmarks.process.OpenProcesses;

/** Each contestant does the work that it is compared in: peers check what they receive. */
class PeerTest {
  /** Netty's native transport is a dependency for one platform. */
  private static final String PLATFORM =
      System.getProperty("os.name") + ' ' + System.getProperty("os.arch");

  private static final int LONGEST = 1 << 20;

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LIBFABRIC")
  void messagesArriveAndComeBack(Contestant contestant, @TempDir Path directory) throws Exception {
    assumeTrue(contestant != Contestant.NETTY_EPOLL || PLATFORM.equals("Linux amd64"), PLATFORM);
    try (OpenProcesses processes = new OpenProcesses()) {
      MessagingPair pair =
          MessagingPair.start(contestant, LONGEST, MessagingOptions.TCP, directory, processes);
      for (int size : new int[] {1, 64, 5000, LONGEST}) {
        assertThat(pair.roundTrips(size, 3)).hasSize(3).doesNotContain(0);
        assertThat(pair.stream(size, 100, false)).isPositive();
        assertThat(pair.stream(size, 17, contestant.canAnnounce())).isPositive();
      }
    }
  }
}
