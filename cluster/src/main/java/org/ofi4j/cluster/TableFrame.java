// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.cluster.RecordHeader.UnreadableRecordException;

/**
 * What is told of members at once, in a {@link TableFile}: all of a change or nothing.
 *
 * <pre>
 *   4          each event:  1      8        member            also
 *   +----------+            +------+--------+--------+--------+---- - -
 *   | how many |            | kind | handle | host   | member |
 *   +----------+            +------+--------+--------+--------+---- - -
 *
 *   kind 1 joined, 2 left, 3 moved: also host and member before, 4 refused: also errno (4), reason
 *   host, reason: 4 bytes of length, UTF-8      member: as in a {@link HostRecord}, without
 *   optional fields: the file has a version of its own
 * </pre>
 */
final class TableFrame {
  private static final int HEADER = 8;
  private static final int JOINED = 1;
  private static final int LEFT = 2;
  private static final int MOVED = 3;
  private static final int REFUSED = 4;

  private TableFrame() {}

  /** Writes a frame; who reads it meanwhile finds none. */
  static void write(FileChannel file, long position, byte[] body) throws IOException {
    ByteBuffer frame = ByteBuffer.allocate(HEADER + body.length);
    frame.putInt(body.length).putInt(checksum(body)).put(body).flip();
    while (frame.hasRemaining()) {
      file.write(frame, position + frame.position());
    }
  }

  /** The body of the frame at a position; null if there is none yet. */
  static byte @Nullable [] read(FileChannel file, long position) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    if (!fill(file, position, header)) {
      return null;
    }
    int length = header.getInt();
    if (length < 0 || length > file.size() - position - HEADER) {
      return null;
    }
    ByteBuffer body = ByteBuffer.allocate(length);
    boolean isWhole = fill(file, position + HEADER, body);
    return isWhole && checksum(body.array()) == header.getInt() ? body.array() : null;
  }

  /** How long a frame is. */
  static long length(byte[] body) {
    return (long) HEADER + body.length;
  }

  private static boolean fill(FileChannel file, long position, ByteBuffer buffer)
      throws IOException {
    while (buffer.hasRemaining()) {
      if (file.read(buffer, position + buffer.position()) < 0) {
        return false;
      }
    }
    buffer.flip();
    return true;
  }

  private static int checksum(byte[] body) {
    CRC32C checksum = new CRC32C();
    checksum.update(body);
    return (int) checksum.getValue();
  }

  static byte[] pack(List<MemberEvent> events) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(events.size());
      for (MemberEvent each : events) {
        switch (each) {
          case MemberEvent.Joined(Member member, long handle) -> write(out, JOINED, handle, member);
          case MemberEvent.Left(Member member, long handle) -> write(out, LEFT, handle, member);
          case MemberEvent.Moved(Member member, long handle, Member former) -> {
            write(out, MOVED, handle, member);
            write(out, former);
          }
          case MemberEvent.Refused(Member member, Errno errno, String reason) -> {
            write(out, REFUSED, 0, member);
            out.writeInt(errno.number());
            write(out, reason);
          }
          case MemberEvent.StateChanged own ->
              throw new IllegalArgumentException("only its own process hears " + own);
        }
      }
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream out, int kind, long handle, Member member)
      throws IOException {
    out.writeByte(kind);
    out.writeLong(handle);
    write(out, member);
  }

  private static void write(DataOutputStream out, Member member) throws IOException {
    write(out, member.host());
    HostRecord.write(out, member);
  }

  private static void write(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  static List<MemberEvent> unpack(byte[] body, AddressFormat format) throws IOException {
    RecordReader in = new RecordReader(ByteBuffer.wrap(body), "the frame");
    try {
      int count = in.fourBytes("number of events");
      List<MemberEvent> events = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        in.begin("event " + (i + 1));
        int kind = in.oneByte("kind");
        long handle = in.eightBytes("handle");
        Member member = member(in, format);
        events.add(
            switch (kind) {
              case JOINED -> new MemberEvent.Joined(member, handle);
              case LEFT -> new MemberEvent.Left(member, handle);
              case MOVED -> new MemberEvent.Moved(member, handle, member(in, format));
              case REFUSED -> {
                Errno errno = Errno.of(in.fourBytes("errno"));
                yield new MemberEvent.Refused(member, errno, text(in, "reason"));
              }
              default -> throw in.wrong("kind", kind + " is not 1 to 4");
            });
      }
      return events;
    } catch (UnreadableRecordException wrong) {
      throw new IOException("the frame " + wrong.getMessage(), wrong);
    }
  }

  private static Member member(RecordReader in, AddressFormat format)
      throws UnreadableRecordException {
    String host = text(in, "host");
    return HostRecord.readMember(in, format, host);
  }

  private static String text(RecordReader in, String field) throws UnreadableRecordException {
    return in.text(field, in.fourBytes("length of the " + field));
  }
}
