// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.ways;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.VectorOptions;

/**
 * Prints the classes that one call of each kind enters, under {@link EntryAgent}: for each class a
 * line with the kind of call, a tab and the class. It makes many calls of each kind and prints what
 * most of them enter. So it leaves out first calls, which initialise classes and open connections,
 * and calls that meet a timer, whose number depends on the speed of the machine.
 */
final class WaysProgram {
  private static final String TCP = "tcp";
  private static final int ROUNDS = 100;

  /** The sets of classes that calls of a kind have entered, and how many calls did. */
  private final Map<String, Map<SortedSet<String>, Integer>> entered = new TreeMap<>();

  private long handle;
  private Completion.@Nullable Success arrived;

  private WaysProgram() {}

  /** Takes the name of a provider. Calls of vectors do not depend on the provider. */
  public static void main(String[] arguments) {
    String provider = arguments[0];
    Hints hints =
        Hints.reliable()
            .withProvider(provider)
            .withSource("127.0.0.1:0")
            .withProgress(Progress.MANUAL)
            .withCapabilities(Capability.MSG, Capability.TAGGED, Capability.SHARED_AV);
    WaysProgram program = new WaysProgram();
    try (Fabric fabric = Fabrics.open(hints);
        Domain domain = fabric.openDomain()) {
      if (provider.equals(TCP)) {
        program.changeAndRead(domain, VectorOptions.table(), " private");
        program.changeAndRead(domain, VectorOptions.table().withName("ways"), " named");
      }
      program.sendAndReceive(domain, provider);
    }
    program.entered.forEach((call, calls) ->
        Collections.max(calls.entrySet(), Map.Entry.comparingByValue())
            .getKey()
            .forEach(each -> System.out.println(call + "\t" + each)));
  }

  private void changeAndRead(Domain domain, VectorOptions options, String kind) {
    MemorySegment buffer = Arena.ofAuto().allocate(64);
    try (AddressVector vector = domain.openAddressVector(options)) {
      for (int host = 1; host <= 16; host++) {
        vector.insert(FabricAddress.parse("fi_sockaddr_in://10.1." + host + ".1:5000"));
      }
      // The same address each time, so that no round begins when the hash table has to grow.
      FabricAddress address = FabricAddress.parse("fi_sockaddr_in://10.2.7.1:6000");
      for (int round = 0; round < ROUNDS; round++) {
        record("insert" + kind, () -> handle = vector.insert(address));
        record("find" + kind, () -> vector.find(address));
        record("lookup" + kind, () -> vector.lookup(handle, buffer));
        record("remove" + kind, () -> vector.remove(handle));
      }
    }
  }

  /** Sends messages to and fro, as writes and reads of a stream in one direction are put off. */
  private void sendAndReceive(Domain domain, String provider) {
    MemorySegment buffer = Arena.ofAuto().allocate(64);
    TaggedSendRequest request = new TaggedSendRequest().memory(MemorySegment.ofArray(new byte[64]));
    TaggedSendRequest reply = new TaggedSendRequest().memory(MemorySegment.ofArray(new byte[64]));
    try (AddressVector vector = domain.openAddressVector(VectorOptions.table());
        CompletionQueue asked = domain.openCompletionQueue();
        CompletionQueue answered = domain.openCompletionQueue();
        ReliableEndpoint asking = domain.openReliableEndpoint(vector, asked);
        ReliableEndpoint answering = domain.openReliableEndpoint(vector, answered)) {
      request.destination(vector.insert(answering.address()));
      reply.destination(vector.insert(asking.address()));
      for (int round = 0; round < ROUNDS; round++) {
        answering.receiveTagged(buffer, TagPattern.any(), null);
        asking.receiveTagged(buffer, TagPattern.any(), null);
        record("send tagged " + provider, () -> asking.sendTagged(request));
        int completions = 0;
        SortedSet<String> classes;
        do {
          completions += asked.read() == null ? 0 : 1;
          classes = EntryAgent.during(() -> arrived = answered.read());
        } while (arrived == null);
        if (provider.equals(TCP)) {
          record("receive " + provider, classes);
        }
        answering.sendTagged(reply);
        while (completions < 3) { // a request, a reply, and its arrival
          completions += asked.read() == null ? 0 : 1;
          completions += answered.read() == null ? 0 : 1;
        }
      }
    }
  }

  private void record(String call, Runnable code) {
    record(call, EntryAgent.during(code));
  }

  private void record(String call, SortedSet<String> classes) {
    entered.computeIfAbsent(call, _ -> new HashMap<>()).merge(classes, 1, Integer::sum);
  }
}
