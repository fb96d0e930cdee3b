// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Requests and replies over fabrics that name the source of a message. */
class RequestReplyTest {
  @TestFactory
  List<DynamicTest> requests() throws Exception {
    List<String> providers = CCompiler.needSome(List.of("net", "libfabric:tcp", "tcp;ofi_rxm"));
    return Scenarios.of(
        RequestReplyProgram.class, List.of(ChildJvm.NATIVE), providers.toArray(new String[0]));
  }
}
