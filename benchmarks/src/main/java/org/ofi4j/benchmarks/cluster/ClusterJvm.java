// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.cluster;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.process.FreshJvm;

/**
 * What a {@link FreshJvm} can do with groups.
 *
 * <pre>
 *   publish SERVICE HOSTS MEMBERS   publishes them
 *   join NAME HOST, leave NAME      one more comes, and goes
 *   fill SERVICE MEMBERS ROUNDS     has them in a vector, for the first time and so many times more
 *   watch                           looks at the records too, and begins to count
 *   arm, await joined|left NAME     before a change, and after it
 *   count CHANGES                   what was read for each of them
 *   neighbour SERVICE MEMBERS NAME  has them in a vector that the JVMs of the node share
 *   touch, share, close             looks at all of it; how much of it is this JVM's; does without
 *   connect COUNT FIRST SIZE        makes members of a job ready
 *   job NAME, part                  joins with them; leaves
 * </pre>
 */
final class ClusterJvm implements FreshJvm.Commands {
  private final FigureSink figures = FreshJvm.figures();
  private final String servers;
  private @Nullable Publisher publisher;
  private @Nullable Watcher watcher;
  private @Nullable Neighbour neighbour;
  private @Nullable JobMembers job;

  private ClusterJvm(String servers) {
    this.servers = servers;
  }

  /** Obeys until standard input ends; the argument is where ZooKeeper is. */
  public static void main(String[] arguments) throws InterruptedException {
    FreshJvm.run(new ClusterJvm(arguments[0]));
  }

  @Override
  public String obey(String[] words) throws Exception {
    switch (words[0]) {
      case "publish" -> {
        publisher = new Publisher(Client.connected(servers), words[1], number(words[2]));
        publisher.publish(number(words[3]));
      }
      case "join" -> Objects.requireNonNull(publisher).join(words[1], number(words[2]));
      case "leave" -> Objects.requireNonNull(publisher).leave(words[1]);
      case "fill" -> {
        watcher = new Watcher(figures, Client.connected(servers), words[1], number(words[2]));
        for (int round = 0; round <= number(words[3]); round++) {
          watcher.fill(round == 0);
        }
      }
      case "watch" -> Objects.requireNonNull(watcher).watch(Client.connected(servers));
      case "arm" -> Objects.requireNonNull(watcher).arm();
      case "await" -> Objects.requireNonNull(watcher).await(words[1] + " " + words[2]);
      case "count" -> Objects.requireNonNull(watcher).count(number(words[1]));
      case "neighbour" ->
          neighbour =
              new Neighbour(Client.connected(servers), words[1], number(words[2]), words[3]);
      case "touch" -> Objects.requireNonNull(neighbour).touch();
      case "close" -> Objects.requireNonNull(neighbour).close();
      case "share" -> Objects.requireNonNull(neighbour).share(figures);
      case "connect" ->
          job = new JobMembers(servers, number(words[1]), number(words[2]), number(words[3]));
      case "job" -> Objects.requireNonNull(job).join(words[1]);
      case "part" -> Objects.requireNonNull(job).leave();
      default -> throw new IllegalArgumentException("unknown command " + words[0]);
    }
    return "";
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }
}
