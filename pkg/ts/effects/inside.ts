/** IPv4 networks that are not of the public internet, as `[network, bits]`. */
const NETWORKS: readonly (readonly [network: string, bits: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** Names that lead to this machine, or into its own network, wherever they are resolved. */
const NAMES = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa)$/;

/**
 * Whether a host, as a parsed URL has it, is this machine or in its own network. A parsed URL has numbers in one
 * spelling only: `0x7f.1` and `2130706433` are `127.0.0.1` there. A name without a dot is one of the own network too.
 */
export function isInsideHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, "").replace(/\.+$/, "");
  return isAddress(host) ? isInsideAddress(host) : NAMES.test(host) || !host.includes(".");
}

/** Whether an IP address is this machine's or of its own network. Every address outside of the public internet is. */
export function isInsideAddress(address: string): boolean {
  if (!address.includes(":")) return isInside4(numberOf(address));
  const groups = groupsOf(address.replace(/%.*$/, ""));
  if (groups === undefined) return true;
  const [first = 0, second = 0] = groups;
  const last4 = (groups[6] ?? 0) * 0x10000 + (groups[7] ?? 0);
  const leads = (...wanted: number[]): boolean => wanted.every((group, index) => groups[index] === group);
  // IPv4 in IPv6: mapped, and as translators have it.
  if (leads(0, 0, 0, 0, 0, 0xffff) || leads(0x64, 0xff9b, 0, 0, 0, 0)) return isInside4(last4);
  if (first === 0x2002) return isInside4(second * 0x10000 + (groups[2] ?? 0));
  // Only 2000::/3 is assigned, and 2001::/23 of it for special purposes, such as tunnels.
  return (first & 0xe000) !== 0x2000 || (first === 0x2001 && second < 0x200);
}

function isAddress(host: string): boolean {
  return host.includes(":") || /^\d+(?:\.\d+){3}$/.test(host);
}

function isInside4(number: number): boolean {
  return NETWORKS.some(([network, bits]) => number >>> (32 - bits) === numberOf(network) >>> (32 - bits));
}

function numberOf(address: string): number {
  return address.split(".").reduce((number, part) => number * 256 + Number(part), 0) >>> 0;
}

/** The eight groups of an IPv6 address; nothing where it is none. */
function groupsOf(address: string): number[] | undefined {
  const text = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (dotted) => {
    const number = numberOf(dotted);
    return `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`;
  });
  const [head = "", tail] = text.split("::");
  const read = (part: string): number[] => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)));
  const before = read(head);
  const after = tail === undefined ? [] : read(tail);
  const missing = 8 - before.length - after.length;
  if (missing < 0 || (tail === undefined && missing > 0)) return undefined;
  const groups = [...before, ...new Array<number>(missing).fill(0), ...after];
  return groups.every((group) => group >= 0 && group <= 0xffff) ? groups : undefined;
}
