// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.provider.net.endpoint.SenderAddress;

/** Tables of receives and messages against plain lists that are searched from the front. */
class MatchingModelTest {
  private static final int STEPS = System.getProperty("ofi4j.long") == null ? 10_000 : 20_000;
  private static final int PEERS = 6;
  private static final int GROUPS = 2;

  /** Two peers under each. */
  private static final int KEYS = 3;

  private final Sender[] peers = new Sender[PEERS];
  private final long[] generations = new long[PEERS];

  MatchingModelTest() {
    for (int i = 0; i < PEERS; i++) {
      peers[i] = new Sender(0, i, 1, i % KEYS, new SenderAddress());
    }
  }

  private final ReceiveContext context =
      new ReceiveContext(1, new UnexpectedMessages(true, new UnexpectedRoom(() -> null)), _ -> 0);

  private Receive receive(Random random, int number) {
    Receive receive = new Receive(context);
    receive.key.tagged = random.nextInt(3) > 0;
    if (receive.key.tagged) {
      receive.ignore = random.nextInt(3) > 0 ? 0 : random.nextInt(8);
      receive.key.tag = random.nextInt(8) & ~receive.ignore;
    }
    receive.key.group = random.nextInt(GROUPS);
    int choice = random.nextInt(4);
    if (choice < 2) {
      int peer = random.nextInt(PEERS);
      receive.key.from = peers[peer];
      receive.peer = peer;
      receive.generation = generations[peer];
    } else if (choice == 2) {
      receive.directAtKey(random.nextInt(KEYS));
    }
    receive.context = number;
    return receive;
  }

  private MatchKey key(Random random) {
    MatchKey key = new MatchKey();
    boolean tagged = random.nextInt(3) > 0;
    key.set(tagged, tagged ? random.nextInt(8) : 0, peers[random.nextInt(PEERS)]);
    key.group = random.nextInt(GROUPS);
    return key;
  }

  private static boolean matches(Receive receive, MatchKey message) {
    return receive.key.tagged == message.tagged
        && receive.key.group == message.group
        && (receive.key.tag | receive.ignore) == (message.tag | receive.ignore)
        && (receive.key.from == null || receive.key.from == message.from)
        && (receive.key.authorizationKey == 0
            || receive.key.authorizationKey == message.from.authKey + 1);
  }

  private static <T> @Nullable T first(List<T> model, Predicate<T> wanted) {
    for (T each : model) {
      if (wanted.test(each)) {
        return each;
      }
    }
    return null;
  }

  private static <T extends Matchable> int size(MatchQueue<T> queue) {
    int size = 0;
    for (T each = queue.first(); each != null; each = queue.after(each)) {
      size++;
    }
    return size;
  }

  private static void same(@Nullable Object found, @Nullable Object expected, long seed, int step) {
    if (found != expected) {
      throw new AssertionError(
          "seed %d, step %d: %s instead of %s".formatted(seed, step, found, expected));
    }
  }

  private static void same(int found, int expected, long seed, int step) {
    if (found != expected) {
      same((Object) found, expected, seed, step);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  @Tag("AV-129")
  @Tag("AV-165")
  @Tag("AV-198")
  @Tag("AV-217")
  @DisplayName("The receive that was posted first gets the message, unless its entry has gone")
  void posted(long seed) {
    Random random = new Random(seed);
    PostedReceives posted = new PostedReceives(handle -> generations[(int) handle]);
    List<Receive> model = new ArrayList<>();
    List<Receive> taken = new ArrayList<>();
    int number = 0;
    for (int step = 0; step < STEPS; step++) {
      // Long runs of posting, and long ones of taking.
      int choice = random.nextInt(step / 1_000 % 2 == 0 ? 10 : 20);
      if (choice < 6) {
        Receive receive = receive(random, number++);
        posted.add(receive);
        model.add(receive);
      } else if (choice == 6 && !taken.isEmpty()) {
        Receive back = taken.remove(random.nextInt(taken.size()));
        posted.putBack(back);
        int at = 0;
        while (at < model.size() && model.get(at).turn < back.turn) {
          at++;
        }
        model.add(at, back);
      } else if (choice == 7) {
        Integer context = random.nextInt(number + 1);
        Receive expected = first(model, each -> context.equals(each.context));
        Receive withdrawn = posted.withdraw(expected == null ? new Object() : expected.context);
        same(withdrawn, expected, seed, step);
        model.remove(expected);
      } else if (choice == 8 && random.nextInt(20) == 0) {
        generations[random.nextInt(PEERS)]++;
      } else {
        MatchKey message = key(random);
        Receive expected =
            first(
                model,
                each ->
                    matches(each, message)
                        && (each.key.from == null
                            || each.generation == generations[(int) each.peer]));
        Receive found = posted.match(message);
        same(found, expected, seed, step);
        if (found != null) {
          posted.remove(found);
          model.remove(found);
          if (random.nextInt(4) == 0) {
            taken.add(found);
          }
        }
      }
      same(size(posted.all), model.size(), seed, step);
    }
    for (Receive each : model) {
      assertThat(posted.withdraw(each.context)).isSameAs(each);
    }
    for (Sender peer : peers) {
      assertThat(peer.directedReceives).as("seed %d", seed).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  @DisplayName("The message that came first is found, whatever the receive leaves open")
  void unexpected(long seed) {
    Random random = new Random(seed);
    UnexpectedRoom room = new UnexpectedRoom(() -> null);
    UnexpectedMessages messages = new UnexpectedMessages(true, room);
    List<Message> model = new ArrayList<>();
    List<Message> aside = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      int choice = random.nextInt(step / 1_000 % 2 == 0 ? 10 : 20);
      if (choice < 6) {
        if (model.size() + aside.size() < 200) {
          MatchKey key = key(random);
          Message message = room.take(key, key.from, 100, random.nextBoolean());
          messages.add(message);
          assertThat(message.state).isEqualTo(Message.State.ARRIVING);
          message.state = Message.State.WHOLE;
          model.add(message);
        }
      } else if (choice == 6 && !model.isEmpty()) {
        Message gone = model.remove(random.nextInt(model.size()));
        messages.remove(gone);
        room.release(gone);
      } else if (choice == 7 && random.nextInt(20) == 0) {
        messages.putBackClaimed();
        model.addAll(aside);
        model.sort(Comparator.comparingLong(each -> each.turn));
        aside.clear();
      } else if (choice == 7 && !aside.isEmpty()) {
        Message claimed = aside.remove(random.nextInt(aside.size()));
        assertThat(messages.pollClaimed(claimed.context)).isSameAs(claimed);
        assertThat(messages.pollClaimed(claimed.context)).isNull();
        room.release(claimed);
      } else {
        Receive receive = receive(random, step);
        Message expected = first(model, each -> matches(receive, each.key));
        Message found = messages.match(receive);
        same(found, expected, seed, step);
        if (found != null) {
          assertThat(found.data).isEqualTo(expected.data);
          model.remove(found);
          if (random.nextInt(4) == 0) {
            messages.claim(found, new Object());
            aside.add(found);
          } else {
            messages.remove(found);
            room.release(found);
          }
        }
      }
      same(size(messages.all), model.size(), seed, step);
    }
    for (Iterator<Message> each = model.iterator(); each.hasNext(); ) {
      Message message = each.next();
      messages.remove(message);
      room.release(message);
    }
    aside.forEach(each -> {
      messages.remove(each);
      room.release(each);
    });
    for (Sender peer : peers) {
      assertThat(peer.hasKept()).as("seed %d", seed).isFalse();
      assertThat(peer.unexpectedBytes).as("seed %d", seed).isZero();
    }
    assertThat(messages.all.isEmpty()).isTrue();
  }
}
