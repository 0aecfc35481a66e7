import type { Services } from './request.ts'

/** The services for one piece of work of the platform itself, such as a run of a job. The events of its changes have this `operation_id`. */
export const servicesFor = (services: Services, operationId: string): Services => ({ ...services, operationId })
