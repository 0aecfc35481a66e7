import type { Member, Platform } from '../platform.ts'

/** The platform and the member that send requests. */
export interface Sender {
  readonly platform: Platform
  readonly member: Member
}
