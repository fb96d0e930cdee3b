// SPDX-License-Identifier: Apache-2.0
module org.example.consumer {
  requires org.ofi4j.api;
}
