// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;
