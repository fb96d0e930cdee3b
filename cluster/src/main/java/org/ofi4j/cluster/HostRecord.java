// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
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
 *   +--------+-----+----------+----------+---------------- - - +-----------------+
 *   | format |  0  | session  | how many | processes            | optional fields |
 *   +--------+-----+----------+----------+---------------- - - +-----------------+
 *
 *   a process        16       18
 *   +----------------+--------+---------------- - - +-----------------+
 *   | its id (UUID)  | how    | members             | optional fields |
 *   |                | many   |                     |                 |
 *   +----------------+--------+---------------- - - +-----------------+
 *
 *   a member     8      12      13        21
 *   +-------------+------+-------+---------+------+---------+------------+-----------------+
 *   | incarnation | rank | flags | user id | name | address | attributes | optional fields |
 *   +-------------+------+-------+---------+------+---------+------------+-----------------+
 *
 *   name: 1 byte of length, UTF-8         address: 2 bytes of length, the packed form
 *   attributes: 1 byte how many; each: 1 byte of length, name; 2 bytes of length, value
 * </pre>
 *
 * <p>The rank is -1 if there is none. Flags: 1 if there is a user id, which is 0 otherwise; others
 * are ignored. {@link RecordReader} draws the optional fields. A publisher passes on those of other
 * processes and their members, which may be of a later version. The first process of a host's
 * record is the one that publishes it, and the session is that in which it saw the others. Curator
 * makes a node anew in a later session with what it held: such a record is out of date, and does
 * not count.
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
        for (int i = 0; i < each.members().size(); i++) {
          write(out, each.members().get(i));
          write(out, each.fields().isEmpty() ? RecordReader.NO_FIELDS : each.fields().get(i));
        }
        write(out, each.ownFields());
      }
      write(out, RecordReader.NO_FIELDS);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return RecordHeader.seal(RecordHeader.MEMBERS, bytes.toByteArray());
  }

  /** Whether a process can have so many members. */
  static boolean fits(int members) {
    return members <= MAX_MEMBERS;
  }

  private static void write(DataOutputStream out, ByteBuffer fields) throws IOException {
    byte[] bytes = new byte[fields.remaining()];
    fields.duplicate().get(bytes);
    out.writeShort(bytes.length);
    out.write(bytes);
  }

  /** Writes a member without optional fields. */
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
    RecordReader body =
        new RecordReader(RecordHeader.open(RecordHeader.MEMBERS, bytes), "the host");
    AddressFormat format = body.format();
    body.zeros("zeros", 3);
    long session = body.eightBytes("session");
    int count = body.fourBytes("number of processes");
    if (count < 0) {
      throw body.wrong("number of processes", count + " is negative");
    }
    List<ProcessMembers> processes = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      processes.add(readProcess(body, format, host, i));
    }
    body.begin("the host");
    body.optionalFields();
    body.end();
    return new HostRecord(format, session, processes);
  }

  private static ProcessMembers readProcess(
      RecordReader body, AddressFormat format, String host, int which)
      throws UnreadableRecordException {
    String name = "process " + which;
    body.begin(name);
    UUID process = new UUID(body.eightBytes("id"), body.eightBytes("id"));
    int count = body.twoBytes("number of members");
    List<Member> members = new ArrayList<>();
    List<ByteBuffer> fields = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      body.begin("member " + i + " of " + name);
      members.add(readMember(body, format, host));
      fields.add(body.optionalFields());
    }
    body.begin(name);
    return new ProcessMembers(process, members, fields, body.optionalFields());
  }

  /** Reads a member up to its optional fields. */
  static Member readMember(RecordReader body, AddressFormat format, String host)
      throws UnreadableRecordException {
    long incarnation = body.eightBytes("incarnation");
    int rank = body.fourBytes("rank");
    boolean hasUserId = (body.oneByte("flags") & HAS_USER_ID) != 0;
    long userId = body.eightBytes("user id");
    String name = body.text("name", body.oneByte("length of the name"));
    byte[] packed = body.bytes("address", body.twoBytes("length of the address"));
    Map<String, String> attributes = new TreeMap<>();
    int count = body.oneByte("number of attributes");
    for (int i = 0; i < count; i++) {
      String key =
          body.text("name of an attribute", body.oneByte("length of the name of an attribute"));
      String value = "value of attribute " + key;
      attributes.put(key, body.text(value, body.twoBytes("length of the " + value)));
    }
    OptionalInt job = rank == NO_RANK ? OptionalInt.empty() : OptionalInt.of(rank);
    OptionalLong id = hasUserId ? OptionalLong.of(userId) : OptionalLong.empty();
    FabricAddress address;
    try {
      address = FabricAddress.of(format, packed);
    } catch (FabricException wrong) {
      throw body.wrong("address", String.valueOf(wrong.getMessage()));
    }
    try {
      return new Member(name, job, id, address, attributes, incarnation, host);
    } catch (FabricException wrong) {
      throw body.wrong("a field", String.valueOf(wrong.getMessage()));
    }
  }

  /**
   * The members of one process.
   *
   * @param process which process: the name of its node
   * @param members its members; incarnation 0 stands for the change that the record came with
   * @param fields the optional fields of each member; empty if no member has any
   * @param ownFields the optional fields of the process
   */
  record ProcessMembers(
      UUID process, List<Member> members, List<ByteBuffer> fields, ByteBuffer ownFields) {
    ProcessMembers {
      members = List.copyOf(members);
      fields = fields.stream().anyMatch(ByteBuffer::hasRemaining) ? List.copyOf(fields) : List.of();
    }

    ProcessMembers(UUID process, List<Member> members) {
      this(process, members, List.of(), RecordReader.NO_FIELDS);
    }

    /** The same, with an incarnation for those that came with a change. */
    ProcessMembers resolved(long change) {
      return new ProcessMembers(
          process,
          members.stream()
              .map(each -> each.incarnation() == 0 ? each.withIncarnation(change) : each)
              .toList(),
          fields,
          ownFields);
    }
  }

  /**
   * The latest member of a rank, in the node of the rank. The node is persistent: it outlives the
   * member, so that an earlier one cannot return.
   *
   * <pre>
   *   16               32       33
   *   +----------------+--------+--------+--------+-----------------+
   *   | its process    | format | host   | member | optional fields |
   *   | (UUID)         |        |        |        |                 |
   *   +----------------+--------+--------+--------+-----------------+
   *
   *   host: 1 byte of length, UTF-8         member: as in a {@link HostRecord}, with its own
   *   optional fields
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
        write(out, RecordReader.NO_FIELDS);
        write(out, RecordReader.NO_FIELDS);
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
      RecordReader body = new RecordReader(RecordHeader.open(RecordHeader.RANK, bytes), "the rank");
      UUID process = new UUID(body.eightBytes("process"), body.eightBytes("process"));
      AddressFormat format = body.format();
      String host = body.text("host", body.oneByte("length of the host"));
      body.begin("the member");
      Member member = readMember(body, format, host);
      body.optionalFields();
      body.begin("the rank");
      body.optionalFields();
      body.end();
      return new RankRecord(
          process, member.incarnation() == 0 ? member.withIncarnation(change) : member);
    }
  }
}
