// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.provider.net.wire.TcpLimits;

/** When reads of a connection are put off, and what ends that. */
class HotConnectionTest {
  /** Bytes of a message. */
  private static final int SIZE = 80;

  private long now = Long.MAX_VALUE - TcpLimits.READ_PAUSE / 2;
  private final HotConnection place = new HotConnection(() -> now);

  /** A read brings messages. */
  private void read(int messages) {
    place.came((long) messages * SIZE, messages);
  }

  private void readOneByOne(int messages) {
    for (int i = 0; i < messages; i++) {
      assertThat(place.putsOff()).as("before message %s", i).isFalse();
      read(1);
    }
  }

  /** A read that is put off until it is due brings messages. */
  private void readLater(int messages) {
    assertThat(place.putsOff()).isTrue();
    now += TcpLimits.READ_PAUSE;
    assertThat(place.putsOff()).isFalse();
    read(messages);
  }

  @Test
  @DisplayName("After some messages in a row the next read is put off, and no longer than a moment")
  void afterSomeMessages() {
    readOneByOne(TcpLimits.STREAM);
    assertThat(place.putsOff()).isTrue();
    now += TcpLimits.READ_PAUSE - 1;
    assertThat(place.putsOff()).isTrue();
    now += 1;
    assertThat(place.putsOff()).isFalse();
    read(5);
    readLater(5);
    readLater(2);
    assertThat(place.putsOff()).isTrue();
  }

  @Test
  @DisplayName("Something that is sent ends it, and what was counted before")
  void sending() {
    readOneByOne(TcpLimits.STREAM);
    assertThat(place.putsOff()).isTrue();
    place.end();
    readOneByOne(TcpLimits.STREAM - 1);
    place.end();
    readOneByOne(TcpLimits.STREAM);
    assertThat(place.putsOff()).isTrue();
  }

  @Test
  @DisplayName("Question and answer never begin it")
  void answers() {
    for (int i = 0; i < 10 * TcpLimits.LONGEST_STREAM; i++) {
      readOneByOne(1);
      place.end();
    }
  }

  @Test
  @DisplayName("A read in vain ends it")
  void pause() {
    readOneByOne(TcpLimits.STREAM);
    readLater(3);
    now += TcpLimits.READ_PAUSE;
    assertThat(place.putsOff()).isFalse();
    place.inVain();
    readOneByOne(TcpLimits.STREAM);
    assertThat(place.putsOff()).isTrue();
  }

  @Test
  @DisplayName("Messages with pauses between them are none in a row")
  void pausesBefore() {
    for (int message = 0; message < 10 * TcpLimits.STREAM; message++) {
      for (int i = 0; i <= TcpLimits.STREAM_READS_IN_VAIN; i++) {
        place.inVain();
      }
      readOneByOne(1);
    }
    for (int message = 1; message < TcpLimits.STREAM; message++) {
      for (int i = 0; i < TcpLimits.STREAM_READS_IN_VAIN; i++) {
        place.inVain();
      }
      readOneByOne(1);
    }
    assertThat(place.putsOff()).isTrue();
  }

  @Test
  @DisplayName("Where it brings no more at a time it is tried less and less often")
  void useless() {
    int stream = TcpLimits.STREAM;
    for (int i = 0; i < 20; i++) {
      readOneByOne(stream);
      readLater(1);
      stream = Math.min(2 * stream, TcpLimits.LONGEST_STREAM);
    }
    assertThat(stream).isEqualTo(TcpLimits.LONGEST_STREAM);
    readOneByOne(stream);
    readLater(2);
    place.end();
    readOneByOne(TcpLimits.STREAM);
    assertThat(place.putsOff()).isTrue();
  }

  @Test
  @DisplayName("Reads that bring many messages by themselves have to bring half as many again")
  void behind() {
    read(TcpLimits.STREAM);
    readLater(TcpLimits.STREAM * 3 / 2);
    readLater(TcpLimits.STREAM * 3 / 2 - 1);
    assertThat(place.putsOff()).isFalse();
  }

  @Test
  @DisplayName("Reads that bring much are not put off")
  void longMessages() {
    for (int i = 0; i < 10 * TcpLimits.STREAM; i++) {
      assertThat(place.putsOff()).isFalse();
      place.came(TcpLimits.SHORT_READ + 1, 1);
    }
    place.end();
    for (int i = 0; i < TcpLimits.STREAM; i++) {
      assertThat(place.putsOff()).isFalse();
      place.came(TcpLimits.SHORT_READ, 1);
    }
    assertThat(place.putsOff()).isTrue();
  }

  @Test
  @DisplayName("The pieces of long messages do not count as messages")
  void pieces() {
    for (int i = 0; i < 10 * TcpLimits.STREAM; i++) {
      assertThat(place.putsOff()).isFalse();
      place.came(SIZE, 0);
    }
  }
}
