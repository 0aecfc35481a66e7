/** A key with due items, and its running attempts in all processes. */
export interface WaitingKey {
  readonly organization: string
  readonly key: string
  readonly running: number
}

/** How many slots a key gets. */
export interface Portion extends Omit<WaitingKey, 'running'> {
  readonly slots: number
}

interface Limits {
  /** Maximum slots to give. */
  readonly count: number
  /** Free slots of the lane in this process. */
  readonly free: number
  readonly perKeyMax: number
  /** Maximum slots of an organization in this lane of this process. */
  readonly perOrganizationMax?: number
  /** Running attempts of each organization, in all processes. */
  readonly running: ReadonlyMap<string, number>
  /** Running attempts of each organization in this lane of this process. */
  readonly runningHere: ReadonlyMap<string, number>
}

/** Every organization may use this many slots of a lane, however few are free. */
const slotsAlways = 2
/** The last slot of a lane with at least so many slots is for an organization without a running attempt in it. */
const keepsSlotFrom = 4

/**
 * Divides the free slots of a lane. The next slot is for the organization with the fewest running attempts, and for its key with the fewest;
 * among equals, for the first. An organization gets no slot when it uses as many in this process as are free: a few organizations
 * with slow receivers cannot use all slots, and one organization alone may use half of them. The last slot is for one without a running attempt.
 */
export function shareOut(
  waiting: readonly WaitingKey[],
  { count, free, perKeyMax, perOrganizationMax = Infinity, running, runningHere }: Limits,
): Portion[] {
  const organizations = organizationsOf(waiting, running, runningHere)
  const slotsOfLane = [...runningHere.values()].reduce((sum, here) => sum + here, free)
  const kept = slotsOfLane >= keepsSlotFrom ? 1 : 0
  let given = 0
  while (given < count) {
    let next: OrganizationShare | null = null
    for (const candidate of organizations) {
      if (
        candidate.here >= Math.min(Math.max(free - given, slotsAlways), perOrganizationMax) ||
        (candidate.here > 0 && free - given <= kept) ||
        candidate.keys.every(({ taken }) => taken >= perKeyMax)
      )
        continue
      if (!next || candidate.running < next.running) next = candidate
    }
    if (!next) break
    const key = next.keys.reduce((least, other) => (other.taken < least.taken ? other : least))
    key.taken++
    key.slots++
    next.running++
    next.here++
    given++
  }
  return organizations.flatMap(({ organization, keys }) =>
    keys.filter(({ slots }) => slots > 0).map(({ key, slots }) => ({ organization, key, slots })),
  )
}

interface OrganizationShare {
  readonly organization: string
  readonly keys: { readonly key: string; taken: number; slots: number }[]
  running: number
  here: number
}

function organizationsOf(
  waiting: readonly WaitingKey[],
  running: Limits['running'],
  runningHere: Limits['runningHere'],
): OrganizationShare[] {
  const shares = new Map<string, OrganizationShare>()
  for (const { organization, key, running: taken } of waiting) {
    const started = {
      organization,
      keys: [],
      running: running.get(organization) ?? 0,
      here: runningHere.get(organization) ?? 0,
    }
    const share = shares.get(organization) ?? started
    shares.set(organization, share)
    share.keys.push({ key, taken, slots: 0 })
  }
  return [...shares.values()]
}
