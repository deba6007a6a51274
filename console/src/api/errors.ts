// What a request ended with when it failed: the server's own Status, or that there was no answer.
export interface Status {
  message?: string;
  reason?: string;
  code?: number;
  details?: { causes?: { field?: string; message?: string; reason?: string }[] };
}

export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly causes: { field: string; message: string }[];
  constructor(status: Status, code = status.code ?? 0) {
    super(status.message || (code ? `HTTP ${code}` : ""));
    this.code = code;
    this.reason = status.reason ?? "";
    this.causes = (status.details?.causes ?? []).map((cause) => ({ field: cause.field ?? "", message: cause.message ?? "" }));
  }
}

export async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    return new ApiError(JSON.parse(text) as Status, response.status);
  } catch {
    return new ApiError({ message: text }, response.status);
  }
}

export const asApiError = (problem: unknown) => (problem instanceof ApiError ? problem : new ApiError({ message: String(problem) }));

export const offline = () => new ApiError({ message: "", reason: "Offline" });
