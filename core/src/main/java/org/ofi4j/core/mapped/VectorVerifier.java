// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.SharedVectorReport;
import org.ofi4j.core.check.Findings;
import org.ofi4j.core.check.PieceCheck;
import org.ofi4j.core.check.StoreCheck;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.NamedVector.Participant;
import org.ofi4j.core.share.ShareDirectory;
import org.ofi4j.core.share.VectorFile;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.Recovery;
import org.ofi4j.core.store.StoreOptions;

/**
 * Checks every invariant of the files of a named vector, in use or left behind: control file, table
 * of pieces, slots, records, side words, cells, runs, free indices, counts, and that every word of
 * memory is used for one thing or free. Every entry that has a slot is searched by its address, and
 * of each run up to 4,096.
 *
 * <pre>{@code
 * ShareDirectory directory = ShareDirectory.ofUser();
 * String domain = "udp:127.0.0.1:127.0.0.0/8";
 * SharedVectorReport report =
 *     VectorVerifier.verify(directory, domain, "peers", Duration.ofSeconds(10));
 * report.violations().forEach(System.out::println);
 * }</pre>
 *
 * <p>It holds the lock of all writers, and needs not be attached to the vector. A file may have
 * anything in it: what is wrong is a line of the report, never an exception. Takes about as long as
 * searching all entries. Any thread may call it.
 */
public final class VectorVerifier {
  private VectorVerifier() {}

  /**
   * Checks a vector.
   *
   * @param timeout how long whoever changes it is waited for
   * @throws FabricException with {@link Errno#ENOENT} if there is no such vector; with {@link
   *     Errno#EACCES} if its files are not this user's; with {@link Errno#EAGAIN}, naming the
   *     process, if somebody changes it for longer; with {@link Errno#EIO} if the control file
   *     cannot be read or is too short
   */
  public static SharedVectorReport verify(
      ShareDirectory directory, String domain, String name, Duration timeout) {
    return NamedVector.inspect(directory, domain, name, timeout, vector -> look(name, vector));
  }

  /** As the other method, of a vector in the directory of this user. */
  public static SharedVectorReport verify(String domain, String name, Duration timeout) {
    return verify(ShareDirectory.ofUser(), domain, name, timeout);
  }

  private static SharedVectorReport look(String name, NamedVector vector) {
    Findings findings = new Findings();
    vector.faults().forEach(findings::add);
    VectorTraits traits = VectorTraits.of(vector.traits());
    if (traits.mapAddress() == 0) {
      findings.add("the control file has map_addr 0");
    }
    List<Participant> participants = vector.participants();
    List<Long> processes =
        participants.stream().filter(Participant::isAlive).map(Participant::process).toList();
    SharedVectorReport.State state =
        vector.writer() != 0
            ? SharedVectorReport.State.INTERRUPTED
            : processes.isEmpty() ? SharedVectorReport.State.LEFT : SharedVectorReport.State.IN_USE;
    Set<Integer> owners =
        participants.stream().map(one -> one.place() + 1).collect(Collectors.toSet());
    SharedVectorReport.Builder report = SharedVectorReport.builder(name, state);
    try (VectorFile file = vector.entries()) {
      report.bytes(file.held());
      if (PieceCheck.end(file, findings) > 0) {
        findings.in(
            "the file of entries",
            () -> {
              StoreOptions options = traits.options().expecting(0);
              EntryStore store = EntryStore.begun(options, file);
              boolean whole = vector.writer() == 0;
              Recovery found = new StoreCheck(store, owners::contains, whole, findings).check();
              if (found != null) {
                report.entries(found.live()).reserved(found.reserved()).runs(found.runs());
              }
            });
      }
    } catch (FabricException damaged) {
      findings.add(String.valueOf(damaged.getMessage()));
    }
    return report
        .repairs(vector.repairs())
        .changes(vector.locks().changes())
        .processes(processes)
        .interrupted(NamedStore.process(vector.writer()))
        .violations(findings.list())
        .build();
  }
}
