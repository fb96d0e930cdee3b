// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.ofi4j.cli.output.Numbers;

/** Three processes find each other: handle i is rank i, and stays it. */
final class JobStep {
  /** Who is killed. */
  private static final int VICTIM = 1;

  private static final int PATIENCE_SECONDS = 5;

  private JobStep() {}

  static void run(DemoStage stage) throws IOException, InterruptedException {
    DemoReport report = stage.report();
    if (!PeerProcess.hasCluster()) {
      report.say("left out: the jars of ZooKeeper are not in this distribution");
      return;
    }
    List<String> serve = PeerProcess.cluster();
    serve.addAll(List.of("serve", "--port", "0", "--with-input"));
    Process server =
        new ProcessBuilder(serve).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    List<PeerProcess> members = new ArrayList<>();
    try (BufferedReader lines = server.inputReader()) {
      String servers = lines.readLine();
      if (servers == null) {
        throw new IOException("the server of ZooKeeper does not start");
      }
      report.say("process " + server.pid() + " is a ZooKeeper server at " + servers);
      for (int rank = 0; rank < DemoJob.SIZE; rank++) {
        members.add(start(servers, rank));
      }
      begin(members, report);
      all(members, report);
      restart(members, servers, report);
    } finally {
      members.forEach(PeerProcess::close);
      end(server);
    }
  }

  private static PeerProcess start(String servers, int rank)
      throws IOException, InterruptedException {
    return PeerProcess.startMember("--job", servers, "--rank", String.valueOf(rank));
  }

  private static void begin(List<PeerProcess> members, DemoReport report)
      throws IOException, InterruptedException {
    long begin = System.nanoTime();
    members.forEach(member -> member.say("join"));
    for (PeerProcess member : members) {
      String size = member.answer("joined");
      if (!size.equals(String.valueOf(DemoJob.SIZE))) {
        throw new IOException("a member of the job has " + size + " peers");
      }
    }
    report.check(
        true,
        "processes %s join as ranks 0 to 2, and have all handles after %s"
            .formatted(
                members.stream().map(PeerProcess::pid).toList(),
                Numbers.duration(System.nanoTime() - begin)));
  }

  /** Each sends to each by handle, which is the rank. */
  private static void all(List<PeerProcess> members, DemoReport report)
      throws IOException, InterruptedException {
    int right = 0;
    int sent = 0;
    for (int from = 0; from < members.size(); from++) {
      for (int to = 0; to < members.size(); to++) {
        if (from != to) {
          sent++;
          right += isReceived(members, from, to) ? 1 : 0;
        }
      }
    }
    report.check(
        right == sent,
        "each sends to each other by handle: %s of %s come from the handle that is the sender's rank"
            .formatted(right, sent));
  }

  private static boolean isReceived(List<PeerProcess> members, int from, int to)
      throws IOException, InterruptedException {
    String text = "from " + from + " to " + to;
    members.get(from).tell("use " + to, "using");
    members.get(from).tell("deliver " + text, "delivered");
    return members.get(to).tell("receive", "received").equals(from + " " + text);
  }

  private static void restart(List<PeerProcess> members, String servers, DemoReport report)
      throws IOException, InterruptedException {
    PeerProcess victim = members.get(VICTIM);
    long begin = System.nanoTime();
    victim.kill();
    report.say("process " + victim.pid() + ", rank " + VICTIM + ", is killed");
    expect(members, "left " + VICTIM, begin, report);
    PeerProcess successor = start(servers, VICTIM);
    members.set(VICTIM, successor);
    begin = System.nanoTime();
    successor.tell("join", "joined");
    report.say(
        "process %s joins as rank %s, at %s instead of %s"
            .formatted(successor.pid(), VICTIM, successor.address(), victim.address()));
    expect(members, "joined " + VICTIM, begin, report);
    all(members, report);
  }

  /** All but the victim hear the same. */
  private static void expect(List<PeerProcess> members, String what, long since, DemoReport report)
      throws IOException, InterruptedException {
    List<String> heard = new ArrayList<>();
    for (int rank = 0; rank < members.size(); rank++) {
      if (rank != VICTIM) {
        heard.add(members.get(rank).tell("heard", "heard"));
      }
    }
    report.check(
        heard.stream().allMatch(what::equals),
        "after %s the others hear: %s"
            .formatted(Numbers.duration(System.nanoTime() - since), String.join(", ", heard)));
  }

  /** It ends with its input. */
  private static void end(Process server) {
    try {
      server.getOutputStream().close();
      if (server.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } catch (IOException gone) {
      // It has ended already.
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    server.destroyForcibly().onExit().join();
  }
}
