/** The cookies of a session. The first is the credential; the page reads the second and sends it with each write. */
export const accessCookie = 'access_token'
export const csrfCookie = 'csrf_token'
/** Marks a device on which a user has signed in before. It does not belong to a session. */
export const deviceCookie = 'device_token'
