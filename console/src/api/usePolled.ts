// What the server measures cannot be watched; it is read again while the component is shown.
import { useEffect, useState } from "preact/hooks";
import { asApiError, type ApiError } from "./client";

export interface Polled<T> {
  value: T | undefined;
  error: ApiError | undefined;
}

/** `key` names what is read; a new key starts again. */
export function usePolled<T>(key: string, read: () => Promise<T>, every: number): Polled<T> {
  const [polled, setPolled] = useState<Polled<T>>({ value: undefined, error: undefined });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let gone = false;
    const again = async () => {
      // A page that nobody looks at asks for nothing.
      const next = document.hidden ? undefined : await read().then((value) => ({ value, error: undefined }), (problem: unknown) => ({ value: undefined, error: asApiError(problem) }));
      if (gone) return;
      if (next) setPolled(next);
      timer = setTimeout(() => void again(), every);
    };
    void again();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [key]);
  return polled;
}
