import { useEffect, useRef, useState } from "react";

/** Whether an element has come near the window's visible part; once seen, it stays so. */
export function useVisible<Element extends HTMLElement>() {
  const element = useRef<Element>(null);
  const [visible, setVisible] = useState(false);
  useEffect(() => {
    const target = element.current;
    if (!target || visible) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setVisible(true);
      },
      { rootMargin: "200px" },
    );
    observer.observe(target);
    return () => observer.disconnect();
  }, [visible]);
  return { element, visible };
}
