// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.peers;

import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.Domain;
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.Refusal;
import org.ofi4j.VectorOptions;
import org.ofi4j.cli.output.CommandException;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.InstalledProviders;

/** A fabric, a domain and a vector, opened together and closed together. */
public final class VectorSession implements AutoCloseable {
  private final Fabric fabric;
  private final Domain domain;
  private final AddressVector vector;

  private VectorSession(Fabric fabric, Domain domain, AddressVector vector) {
    this.fabric = fabric;
    this.domain = domain;
    this.vector = vector;
  }

  /**
   * Opens a vector.
   *
   * @throws CommandException if no provider meets the hints
   */
  public static VectorSession open(Hints hints, VectorOptions options) {
    FabricInfo info = best(hints);
    Fabric fabric = Fabrics.open(info);
    try {
      Domain domain = fabric.openDomain(info);
      try {
        return new VectorSession(fabric, domain, domain.openAddressVector(options));
      } catch (RuntimeException e) {
        domain.close();
        throw e;
      }
    } catch (RuntimeException e) {
      fabric.close();
      throw e;
    }
  }

  /**
   * The best offer for hints.
   *
   * @throws CommandException if there is none, with the reasons of all providers
   */
  public static FabricInfo best(Hints hints) {
    InfoAnswer answer = InstalledProviders.info(hints);
    if (!answer.offers().isEmpty()) {
      return answer.best();
    }
    if (answer.refusals().isEmpty()) {
      throw new CommandException(
          ExitCode.UNAVAILABLE,
          "no provider is installed: add ofi4j-provider-net to the module path");
    }
    StringBuilder reasons = new StringBuilder("nothing meets the hints (FI_ENODATA, 61)");
    for (Refusal refusal : answer.refusals()) {
      reasons.append(System.lineSeparator()).append("  ").append(refusal);
    }
    throw new CommandException(ExitCode.NOTHING_FITS, reasons.toString());
  }

  /** Hints for a vector of one format, or of IPv4 and IPv6 addresses if it is unspecified. */
  public static Hints forFormat(Hints hints, AddressFormat format) {
    return hints.withAddressFormat(
        format == AddressFormat.UNSPECIFIED ? AddressFormat.SOCKADDR_IP : format);
  }

  public AddressVector vector() {
    return vector;
  }

  public Domain domain() {
    return domain;
  }

  /** The name of the provider, such as {@code udp}. */
  public String provider() {
    return domain.info().fabric().provider();
  }

  @Override
  public void close() {
    vector.close();
    domain.close();
    fabric.close();
  }
}
