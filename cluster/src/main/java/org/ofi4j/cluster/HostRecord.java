// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.cluster.RecordHeader.UnreadableRecordException;

/**
 * The members of one host, packed: in the node of a process its own, in the record of a host those
 * of all its processes.
 *
 * <pre>
 *   16       17    20         28         32
 *   +--------+-----+----------+----------+---------------- - -
 *   | format |  0  | session  | how many | processes
 *   +--------+-----+----------+----------+---------------- - -
 *
 *   a process        16       18
 *   +----------------+--------+---------------- - -
 *   | its id (UUID)  | how    | members
 *   |                | many   |
 *   +----------------+--------+---------------- - -
 *
 *   a member     8      12      13        21
 *   +-------------+------+-------+---------+------+---------+------------+
 *   | incarnation | rank | flags | user id | name | address | attributes |
 *   +-------------+------+-------+---------+------+---------+------------+
 *
 *   name: 1 byte of length, UTF-8         address: 2 bytes of length, the packed form
 *   attributes: 1 byte how many; each: 1 byte of length, name; 2 bytes of length, value
 * </pre>
 *
 * <p>The rank is -1 if there is none. Flags: 1 if there is a user id, which is 0 otherwise. The
 * first process of a host's record is the one that publishes it, and the session is that in which
 * it saw the others. Curator makes a node anew in a later session with what it held: such a record
 * is out of date, and does not count.
 *
 * @param format the format of the addresses
 * @param session the publisher's session with ZooKeeper; 0 in the node of a process
 * @param processes the processes, the oldest first
 */
record HostRecord(AddressFormat format, long session, List<ProcessMembers> processes) {
  private static final int HAS_USER_ID = 1;
  private static final int NO_RANK = -1;
  private static final int MAX_MEMBERS = 0xFFFF;

  HostRecord {
    processes = List.copyOf(processes);
  }

  /** What is true whatever becomes of a session. */
  HostRecord(AddressFormat format, List<ProcessMembers> processes) {
    this(format, 0, processes);
  }

  /** Whether it was packed in the session that its node is of. */
  boolean isOfSession(long owner) {
    return session == 0 || session == owner;
  }

  /** All members, whichever process has them. */
  List<Member> members() {
    return processes.stream().flatMap(each -> each.members().stream()).toList();
  }

  /** The packed form, however long it is. */
  byte[] toBytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.write(new byte[RecordHeader.SIZE]);
      out.writeByte(format.number());
      out.write(new byte[3]);
      out.writeLong(session);
      out.writeInt(processes.size());
      for (ProcessMembers each : processes) {
        out.writeLong(each.process().getMostSignificantBits());
        out.writeLong(each.process().getLeastSignificantBits());
        out.writeShort(each.members().size());
        for (Member member : each.members()) {
          write(out, member);
        }
      }
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return RecordHeader.seal(RecordHeader.MEMBERS, bytes.toByteArray());
  }

  /** Whether a process can have so many members. */
  static boolean fits(int members) {
    return members <= MAX_MEMBERS;
  }

  static void write(DataOutputStream out, Member member) throws IOException {
    out.writeLong(member.incarnation());
    out.writeInt(member.rank().orElse(NO_RANK));
    out.writeByte(member.userId().isPresent() ? HAS_USER_ID : 0);
    out.writeLong(member.userId().orElse(0));
    byte[] name = member.name().getBytes(StandardCharsets.UTF_8);
    out.writeByte(name.length);
    out.write(name);
    byte[] address = member.address().toBytes();
    out.writeShort(address.length);
    out.write(address);
    out.writeByte(member.attributes().size());
    for (Map.Entry<String, String> attribute : member.attributes().entrySet()) {
      byte[] key = attribute.getKey().getBytes(StandardCharsets.UTF_8);
      byte[] value = attribute.getValue().getBytes(StandardCharsets.UTF_8);
      out.writeByte(key.length);
      out.write(key);
      out.writeShort(value.length);
      out.write(value);
    }
  }

  /**
   * Unpacks a record.
   *
   * @param host the host that it is of, which its path says
   */
  static HostRecord of(byte[] bytes, String host) throws UnreadableRecordException {
    ByteBuffer body = RecordHeader.open(RecordHeader.MEMBERS, bytes);
    try {
      AddressFormat format = AddressFormat.of(body.get());
      if (format == null || body.get() != 0 || body.getShort() != 0) {
        throw new UnreadableRecordException("is damaged: its address format makes no sense");
      }
      long session = body.getLong();
      int count = body.getInt();
      List<ProcessMembers> processes = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        UUID process = new UUID(body.getLong(), body.getLong());
        int members = Short.toUnsignedInt(body.getShort());
        List<Member> all = new ArrayList<>();
        for (int j = 0; j < members; j++) {
          all.add(readMember(body, format, host));
        }
        processes.add(new ProcessMembers(process, all));
      }
      if (body.hasRemaining()) {
        throw new UnreadableRecordException("is damaged: it has bytes behind its end");
      }
      return new HostRecord(format, session, processes);
    } catch (BufferUnderflowException | CharacterCodingException | FabricException wrong) {
      throw new UnreadableRecordException("is damaged: " + wrong);
    }
  }

  static Member readMember(ByteBuffer body, AddressFormat format, String host)
      throws CharacterCodingException {
    long incarnation = body.getLong();
    int rank = body.getInt();
    boolean hasUserId = (body.get() & HAS_USER_ID) != 0;
    long userId = body.getLong();
    String name = text(bytes(body, Byte.toUnsignedInt(body.get())));
    byte[] packed = bytes(body, Short.toUnsignedInt(body.getShort()));
    FabricAddress address = FabricAddress.of(format, packed);
    Map<String, String> attributes = new TreeMap<>();
    int count = Byte.toUnsignedInt(body.get());
    for (int i = 0; i < count; i++) {
      String key = text(bytes(body, Byte.toUnsignedInt(body.get())));
      attributes.put(key, text(bytes(body, Short.toUnsignedInt(body.getShort()))));
    }
    OptionalInt job = rank == NO_RANK ? OptionalInt.empty() : OptionalInt.of(rank);
    OptionalLong id = hasUserId ? OptionalLong.of(userId) : OptionalLong.empty();
    return new Member(name, job, id, address, attributes, incarnation, host);
  }

  static byte[] bytes(ByteBuffer body, int length) {
    if (length < 0 || length > body.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[length];
    body.get(bytes);
    return bytes;
  }

  static String text(byte[] bytes) throws CharacterCodingException {
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
  }

  /**
   * The members of one process.
   *
   * @param process which process: the name of its node
   * @param members its members; incarnation 0 stands for the change that the record came with
   */
  record ProcessMembers(UUID process, List<Member> members) {
    ProcessMembers {
      members = List.copyOf(members);
    }

    /** The same, with an incarnation for those that came with a change. */
    ProcessMembers resolved(long change) {
      return new ProcessMembers(
          process,
          members.stream()
              .map(each -> each.incarnation() == 0 ? each.withIncarnation(change) : each)
              .toList());
    }
  }

  /**
   * The latest member of a rank, in the node of the rank. The node is persistent: it outlives the
   * member, so that an earlier one cannot return.
   *
   * <pre>
   *   16               32       33
   *   +----------------+--------+--------+--------+
   *   | its process    | format | host   | member |
   *   | (UUID)         |        |        |        |
   *   +----------------+--------+--------+--------+
   *
   *   host: 1 byte of length, UTF-8         member: as in a {@link HostRecord}
   * </pre>
   *
   * @param process the process that publishes the member
   * @param member the member; incarnation 0 stands for the change that wrote the record
   */
  record RankRecord(UUID process, Member member) {
    byte[] toBytes() {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (DataOutputStream out = new DataOutputStream(bytes)) {
        out.write(new byte[RecordHeader.SIZE]);
        out.writeLong(process.getMostSignificantBits());
        out.writeLong(process.getLeastSignificantBits());
        out.writeByte(member.address().format().number());
        byte[] host = member.host().getBytes(StandardCharsets.UTF_8);
        out.writeByte(host.length);
        out.write(host);
        write(out, member);
      } catch (IOException impossible) {
        throw new UncheckedIOException(impossible);
      }
      return RecordHeader.seal(RecordHeader.RANK, bytes.toByteArray());
    }

    /**
     * Unpacks a record.
     *
     * @param change the number of the change that wrote it
     */
    static RankRecord of(byte[] bytes, long change) throws UnreadableRecordException {
      ByteBuffer body = RecordHeader.open(RecordHeader.RANK, bytes);
      try {
        UUID process = new UUID(body.getLong(), body.getLong());
        AddressFormat format = AddressFormat.of(body.get());
        if (format == null) {
          throw new UnreadableRecordException("is damaged: its address format makes no sense");
        }
        String host = text(bytes(body, Byte.toUnsignedInt(body.get())));
        Member member = readMember(body, format, host);
        if (body.hasRemaining()) {
          throw new UnreadableRecordException("is damaged: it has bytes behind its end");
        }
        return new RankRecord(
            process, member.incarnation() == 0 ? member.withIncarnation(change) : member);
      } catch (BufferUnderflowException | CharacterCodingException | FabricException wrong) {
        throw new UnreadableRecordException("is damaged: " + wrong);
      }
    }
  }
}
